/** The page's one style sheet. Colours are named by what they mean; each theme gives them its values. */
export const style = `
:root {
  --ground: #f6f6f4; --surface: #fff; --raised: #f1f2f4; --ink: #1c1e21; --quiet: #565d66; --line: #d9dce1; --link: #1f4fbf;
  --failed: #b3261e; --error: #76329e; --warned: #805200; --not-judged: #5a6169; --passed: #17692f;
  --failed-ground: #fdeceb; --warned-ground: #fdf3df; --passed-ground: #e6f4ea; --error-ground: #f5eafa; --not-judged-ground: #eceef1;
  --bar-passed: #3b9455; --bar-failed: #c5342b; --bar-warned: #d29922; --bar-not-judged: #c3c8cf; --bar-error: #9353bd;
  --cell: #dfe3e8; --mark: #fff; --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121417; --surface: #1a1d21; --raised: #23272d; --ink: #e7eaee; --quiet: #a4acb6; --line: #343a42; --link: #93b7ff;
    --failed: #ff938a; --error: #d7a9f5; --warned: #f2bd58; --not-judged: #aab2bc; --passed: #79d292;
    --failed-ground: #3c1a19; --warned-ground: #35280f; --passed-ground: #15301d; --error-ground: #301d3d; --not-judged-ground: #282d34;
    --bar-passed: #43a262; --bar-failed: #ec5f55; --bar-warned: #d9a334; --bar-not-judged: #565e69; --bar-error: #b07ad6;
    --cell: #363d46; --mark: #14171a;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: anywhere; }
.page { max-width: 1240px; margin: 0 auto; padding: 1.25rem clamp(.75rem, 3vw, 2rem) 4rem; }
h1 { font-size: clamp(1.7rem, 5vw, 2.5rem); line-height: 1.15; margin: 0; letter-spacing: -.02em; }
h2 { font-size: 1.35rem; margin: 2.75rem 0 .5rem; letter-spacing: -.01em; }
h3 { font-size: 1.02rem; margin: 0 0 .3rem; }
h4 { font-size: .85rem; margin: 1.1rem 0 .35rem; color: var(--quiet); font-weight: 600; }
h3 .quiet { font-weight: 400; font-size: .88rem; }
p { margin: .4rem 0; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: var(--mono); font-size: .87em; }
.quiet { color: var(--quiet); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.needs-js { display: none; }
[hidden] { display: none !important; }
.v-failed { color: var(--failed); } .v-error { color: var(--error); } .v-warned { color: var(--warned); } .v-not-judged { color: var(--not-judged); } .v-passed { color: var(--passed); }
.f-failed { fill: var(--bar-failed); } .f-error { fill: var(--bar-error); } .f-warned { fill: var(--bar-warned); } .f-not-judged { fill: var(--bar-not-judged); } .f-passed { fill: var(--bar-passed); }
.chip { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: .78rem; font-weight: 600; white-space: nowrap; background: var(--not-judged-ground); }
.chip.v-failed { background: var(--failed-ground); } .chip.v-error { background: var(--error-ground); } .chip.v-warned { background: var(--warned-ground); } .chip.v-passed { background: var(--passed-ground); }
.chip.quiet { font-weight: 500; color: var(--quiet); background: var(--raised); }
.bar { display: block; width: 100%; height: 8px; border-radius: 4px; background: var(--line); }
.scroll { overflow-x: auto; }

.head { background: var(--surface); border: 1px solid var(--line); border-top: 6px solid var(--bar-not-judged); border-radius: 10px; padding: 1.4rem clamp(1rem, 3vw, 1.75rem); }
.head-conforms { border-top-color: var(--bar-passed); } .head-does-not-conform { border-top-color: var(--bar-failed); }
.head-conforms h1 { color: var(--passed); } .head-does-not-conform h1 { color: var(--failed); }
.judged { font-size: 1.1rem; margin: .35rem 0 .7rem; }
.head > .bar { height: 12px; border-radius: 6px; }
.legend { list-style: none; margin: .6rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.2rem; font-size: .88rem; }
.head .legend li { font-weight: 600; } .head .legend .quiet { font-weight: 400; }
.key { width: 14px; height: 14px; vertical-align: -2px; margin-right: .2rem; }
.notice { border-left: 4px solid var(--bar-warned); background: var(--warned-ground); padding: .5rem .8rem; border-radius: 4px; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .5rem 1.5rem; margin: .9rem 0 0; padding-top: .8rem; font-size: .93rem; border-top: 1px solid var(--line); }
.facts div { min-width: 0; } .facts dt { color: var(--quiet); font-size: .78rem; } .facts dd { margin: 0; }

.strip { margin: 1rem 0 0; }
.strip ol { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(8.2rem, 1fr)); gap: .45rem; }
.section-card { display: grid; grid-template-columns: 1fr auto; gap: .1rem .4rem; height: 100%; padding: .5rem .65rem .6rem; background: var(--surface); border: 1px solid var(--line); border-radius: 7px; color: inherit; text-decoration: none; }
.section-card .number { font-weight: 650; } .section-card .state { font-weight: 650; font-size: .85rem; }
.section-card .name { grid-column: 1 / -1; font-size: .74rem; line-height: 1.3; color: var(--quiet); height: 2.6em; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.section-card .bar { grid-column: 1 / -1; height: 5px; margin-top: .25rem; }
.t-failed { background: var(--failed-ground); border-color: var(--bar-failed); } .t-error { background: var(--error-ground); border-color: var(--bar-error); }

table { border-collapse: collapse; width: 100%; background: var(--surface); border: 1px solid var(--line); font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-size: .78rem; color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; min-width: 12rem; }
.operations th:first-child { width: 24rem; } .operations [open] ul { min-width: min(40rem, 70vw); } .operations td { white-space: nowrap; font-size: .82rem; font-weight: 600; } .operations :is(th, td) { padding: .25rem .5rem; } .operations ul { list-style: none; margin: .3rem 0; padding: 0; font-size: .86rem; font-weight: 400; } summary h3 { display: inline; } .group > summary, .operations summary { cursor: pointer; padding: .2rem 0; }
.broken th:first-child { min-width: 13rem; } .checkpoints td { min-width: 8rem; } .broken td { min-width: 9rem; } .stacked .id { font-family: var(--mono); font-size: .92em; } .others { font-size: .86rem; margin-top: .2rem; } .others summary { cursor: pointer; color: var(--quiet); } .others ul { list-style: none; margin: .2rem 0; padding: 0; }

.filters { flex-wrap: wrap; align-items: end; gap: .6rem .9rem; padding: .7rem .9rem; margin: .6rem 0 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; font-size: .85rem; }
.js .filters { display: flex; } .js .needs-js:not(.filters) { display: revert; }
.filters label:not([class*=v-]) { color: var(--quiet); } .filters .check { display: inline-flex; align-items: center; gap: .25rem; margin-right: .7rem; padding: .3rem 0; } .filters .check[class*=v-] { font-weight: 600; }
.filters fieldset { border: 0; margin: 0; padding: 0; } .filters legend { padding: 0; color: var(--quiet); }
.filters input[type=search], .filters select { display: block; font: inherit; color: var(--ink); background: var(--ground); border: 1px solid var(--quiet); border-radius: 5px; padding: .3rem .5rem; height: 2.1rem; max-width: 15rem; }
.filters input[type=search] { width: 15rem; }
.filters output { margin-left: auto; color: var(--quiet); padding: .35rem 0; }
button { font: inherit; font-size: .82rem; color: var(--ink); background: var(--raised); border: 1px solid var(--line); border-radius: 5px; padding: .3rem .7rem; min-height: 2.1rem; cursor: pointer; }

.group { margin: 0 0 1.5rem; }
.requirement, .operation { background: var(--surface); border: 1px solid var(--line); margin-top: -1px; }
.requirement > summary, .operation > summary { cursor: pointer; padding: .45rem .75rem; }
.requirement .id { font-family: var(--mono); font-size: .87em; font-weight: 650; margin: 0 .35rem; }
.requirement .chip[class*=v-] { min-width: 5.4rem; }
.r-failed { border-left: 4px solid var(--bar-failed); } .r-error { border-left: 4px solid var(--bar-error); } .r-warned { border-left: 4px solid var(--bar-warned); } .r-not-judged { border-left: 4px solid var(--bar-not-judged); } .r-passed { border-left: 4px solid var(--bar-passed); }
.requirement:target > summary { box-shadow: inset 0 0 0 2px var(--link); }
.inside { padding: .3rem clamp(.75rem, 2vw, 1.25rem) 1rem; border-top: 1px solid var(--line); overflow: clip; }
.points { margin: .6rem 0; display: grid; gap: .45rem; }
.points div { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr); gap: .75rem; } .points dt { color: var(--quiet); font-size: .85rem; } .points dd { margin: 0; } .points ul { margin: 0; padding-left: 1.1rem; }
.p-expected dd code { color: var(--passed); font-weight: 600; } .p-received dd code { color: var(--failed); font-weight: 600; }
pre { margin: .25rem 0; padding: .55rem .75rem; background: var(--raised); border-radius: 5px; overflow: auto; max-height: 24rem; white-space: pre-wrap; line-height: 1.45; unicode-bidi: isolate; }
.copyable { display: flex; gap: .5rem; align-items: flex-start; } .copyable pre { flex: 1; min-width: 0; margin: 0; } .copy { min-width: 5.2rem; }
.exchange { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; overflow: hidden; font-size: .92rem; }
.exchange.decisive { border-color: var(--bar-failed); } .exchange.twin { border-color: var(--bar-passed); } .twin mark { background: var(--passed-ground); color: var(--passed); box-shadow: inset 0 -2px var(--bar-passed); }
@media (min-width: 1000px) { .pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .75rem; align-items: start; } .pair .headers { padding-left: 0; } .pair :is(.body, .cut) { margin-left: 0; } }
.exchange .request, .exchange .response { padding: .5rem .8rem; } .exchange .response { border-top: 1px dashed var(--line); }
.start { margin: 0; } .way { display: inline-block; min-width: 4.6rem; color: var(--quiet); font-size: .8rem; } .when { color: var(--quiet); font-size: .78rem; margin-left: .5rem; }
.headers { background: none; padding: .1rem 0 .1rem 4.6rem; color: var(--quiet); } .headers .field { color: var(--ink); }
.exchange .body, .exchange .cut { margin-left: 4.6rem; } .which { cursor: pointer; margin: 0; padding: .3rem .8rem; font-size: .8rem; color: var(--quiet); background: var(--raised); border-bottom: 1px solid var(--line); } .decisive .which { color: var(--failed); font-weight: 600; }
mark { background: var(--failed-ground); color: var(--failed); font-weight: 700; padding: .05rem .3rem; border-radius: 3px; box-shadow: inset 0 -2px var(--bar-failed); }
.cut { color: var(--quiet); font-size: .85rem; font-style: italic; }

.unjudged { list-style: none; padding: 0; } .unjudged > li { background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--bar-not-judged); padding: .5rem .9rem; margin-top: .5rem; }
.unjudged summary { cursor: pointer; color: var(--quiet); font-size: .88rem; } .ids { columns: 20rem; padding-left: 1.1rem; font-size: .9rem; margin: .4rem 0; } .ids a { font-family: var(--mono); font-size: .9em; }
.needs code { background: var(--raised); padding: .1rem .4rem; border-radius: 4px; margin-right: .2rem; }

.definitions { position: absolute; }
.operation > summary > * { margin-right: .5rem; }
.plot { display: flex; padding: .2rem .75rem .5rem; gap: .5rem; } .plot .scroll { flex: 1; min-width: 0; padding-bottom: 2px; }
.verbs { list-style: none; margin: 132px 0 0; padding: 0; font-size: 9.5px; line-height: 12px; color: var(--quiet); text-align: right; }
.cells { display: block; } .labels text { font: 9.5px var(--mono); fill: var(--quiet); }
.c-refused { fill: var(--cell); } .c-allowed { fill: var(--bar-passed); } .c-wrong { fill: var(--bar-failed); } .c-unanswered { fill: var(--bar-warned); } .c-unsent { fill: var(--surface); stroke: var(--line); }
.mark { fill: none; stroke: var(--mark); stroke-width: 1.8; }
.wrong-list { padding: 0 .75rem .5rem; font-size: .86rem; } .wrong-list code { color: var(--failed); margin-right: .6rem; display: inline-block; }

.walk { margin: .8rem 0; padding: .8rem .9rem; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
.walk figcaption > * { margin-right: .5rem; }
.pages { list-style: none; margin: .6rem 0 0; padding: 0; display: grid; gap: 3px; font-size: .82rem; }
.pages li { display: grid; grid-template-columns: minmax(6rem, 13rem) minmax(0, 1fr) minmax(6rem, 11rem); gap: .7rem; align-items: center; }
.pages svg { width: 100%; height: 14px; background: var(--raised); } .query { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.w-page { fill: var(--link); } .w-again { fill: var(--bar-failed); } .w-missing { fill: var(--failed-ground); stroke: var(--bar-failed); stroke-width: 1; vector-effect: non-scaling-stroke; } .pages .mark, .pages-legend .mark { vector-effect: non-scaling-stroke; }
footer { margin-top: 3rem; font-size: .85rem; }

@media (max-width: 640px) {
  .points div { grid-template-columns: 1fr; gap: .1rem; } .copyable { flex-direction: column; } .copyable pre { width: 100%; }
  .headers, .exchange .body, .exchange .cut { padding-left: 0; margin-left: 0; }
  .pages { gap: .5rem; } .pages li { grid-template-columns: minmax(0, 1fr) auto; gap: .1rem .7rem; } .pages svg { grid-row: 2; grid-column: 1 / -1; }
  .stacked, .stacked tbody, .stacked tr, .stacked th, .stacked td { display: block; } .stacked thead { display: none; } .stacked tr { padding: .6rem .75rem; border-top: 1px solid var(--line); }
  .stacked tbody th, .stacked td { border: 0; padding: .1rem 0; min-width: 0; } .stacked td[data-label]::before { content: attr(data-label) ' '; color: var(--quiet); font-size: .8rem; } .filters output { margin-left: 0; }
  .filters input[type=search], .filters label.text { width: 100%; max-width: none; } .requirement .description { display: block; margin-top: .2rem; }
  .strip ol { grid-template-columns: repeat(auto-fill, minmax(6.4rem, 1fr)); }
}
@media print {
  :root { --ground: #fff; --surface: #fff; --raised: #f4f4f4; --ink: #000; --quiet: #444; --line: #bbb; --link: #000; --failed: #9c1a14; --error: #5d2380; --warned: #6a4400; --not-judged: #444; --passed: #115425;
    --failed-ground: #fff; --warned-ground: #fff; --passed-ground: #fff; --error-ground: #fff; --not-judged-ground: #fff; --cell: #ddd; --mark: #fff; color-scheme: light; }
  * { print-color-adjust: exact; } body { font-size: 10pt; } .page { max-width: none; padding: 0; }
  .js .filters, .filters, .copy, .js .copy.needs-js { display: none; }
  .requirement > summary, .exchange, tr, figure, .section-card, h3, .operation { break-inside: avoid; } h2, h3, h4 { break-after: avoid; }
  .exchange:not([open]) { display: none; } pre { max-height: none; overflow: visible; } .cells { width: 100%; height: auto; } .scroll { overflow: visible; }
  .strip ol { grid-template-columns: repeat(5, 1fr); }
}
`;
