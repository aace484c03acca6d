import type { ExperimentEntry } from '../../contract/data-set.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { Checkpoint } from '../../fake/checkpoint.ts';
import type { Filters } from '../../fake/listing.ts';
import type { CheckpointPage, OffsetPage, RulesOverride } from '../../fake/rules.ts';
import type { CallPredicate } from '../rule-overrides.ts';
import { Builder } from './builder.ts';
import { isEntry, isLaterPage } from './predicates.ts';
import { transformAt } from './values.ts';

/** An item as it is answered, where it stands, and what the tenant contains of it. */
export interface ItemContext<Page> {
  /** Index among all items of the listing. */
  readonly index: number;
  readonly page: Page;
  readonly call: Call;
}

/** Overrides of the items of a listing. */
abstract class ListingBuilder<Page> extends Builder {
  /** Each item is changed. */
  abstract item(transform: (item: JsonObject, context: ItemContext<Page>) => JsonObject): RulesOverride;

  /** What stands at a path of each item: `allocations[].weight`. */
  field(path: string): FieldBuilder<Page> {
    return new FieldBuilder(this, path);
  }
}

/** Overrides of one field of each item. */
class FieldBuilder<Page> {
  private readonly listing: ListingBuilder<Page>;
  private readonly path: string;

  constructor(listing: ListingBuilder<Page>, path: string) {
    this.listing = listing;
    this.path = path;
  }

  /** Where the field is there its value is changed; undefined omits it. */
  map(transform: (value: unknown, item: JsonObject, context: ItemContext<Page>) => unknown): RulesOverride {
    return this.listing.item((item, context) => {
      const changed = transformAt(item, this.path, (value) =>
        value === undefined ? undefined : transform(value, item, context),
      );
      return isObject(changed) ? changed : item;
    });
  }

  /** Where the field is a string it is changed. */
  mapText(transform: (text: string, item: JsonObject) => unknown): RulesOverride {
    return this.map((value, item) => (typeof value === 'string' ? transform(value, item) : value));
  }

  /** Where the field is absent it has this value. */
  defaultsTo(value: unknown): RulesOverride {
    return this.listing.item((item) => {
      const changed = transformAt(item, this.path, (member) => (member === undefined ? value : member));
      return isObject(changed) ? changed : item;
    });
  }

  /** The field is omitted. */
  omit(
    condition: (value: unknown, item: JsonObject, context: ItemContext<Page>) => boolean = () => true,
  ): RulesOverride {
    return this.map((value, item, context) => (condition(value, item, context) ? undefined : value));
  }
}

/** Overrides of a checkpoint-based listing. */
export class CheckpointBuilder extends ListingBuilder<CheckpointPage> {
  override when(...conditions: readonly CallPredicate[]): CheckpointBuilder {
    return new CheckpointBuilder(this.all(conditions));
  }

  item(transform: (item: JsonObject, context: ItemContext<CheckpointPage>) => JsonObject): RulesOverride {
    return this.after('experiments.shown', (shown, _item, index, page, call) =>
      transform(shown, { index: page.first + index, page, call }),
    );
  }

  /** The whole response body. */
  body(transform: (body: JsonObject, page: CheckpointPage, call: Call) => JsonObject): RulesOverride {
    return this.after('experiments.answered', (usual, _body, page, call) => transform(usual, page, call));
  }

  /** The items of a page. */
  items(
    transform: (items: readonly JsonObject[], page: CheckpointPage, call: Call) => readonly JsonObject[],
  ): RulesOverride {
    return this.after('experiments.items', (usual, _items, page, call) => transform(usual, page, call));
  }

  /** Index among the matches at which each page after the first starts. */
  laterPagesStart(
    start: (index: number, matches: number, call: Call, from: Checkpoint) => number,
  ): RulesOverride {
    return this.when(isLaterPage).after('experiments.start', (usual, _index, matches, from, call) =>
      from === undefined ? usual : start(usual, matches, call, from),
    );
  }

  /** Position in the total order of the next page's first match; undefined makes the page the last. */
  next(transform: (page: CheckpointPage, call: Call) => number | undefined): RulesOverride {
    return this.replace('experiments.next', transform);
  }

  /** Position to which the last page's `next` leads; undefined leaves it out. */
  nextOfLastPage(transform: (page: CheckpointPage, call: Call) => number | undefined): RulesOverride {
    return this.next((page, call) => page.nextPosition ?? transform(page, call));
  }

  /** Pages without `next` although more items follow. */
  omitsNext(condition: (page: CheckpointPage, call: Call) => boolean): RulesOverride {
    return this.next((page, call) => (condition(page, call) ? undefined : page.nextPosition));
  }

  /** The filters that are applied among those in the query. */
  filters(transform: (filters: Filters, call: Call) => Filters): RulesOverride {
    return this.replace('experiments.filters', transform);
  }

  /** How one filter matches an experiment. */
  filter(
    field: string,
    matches: (wanted: string, found: unknown, entry: ExperimentEntry) => boolean,
  ): RulesOverride {
    return this.after('experiments.matches', (usual, name, wanted, found, item) =>
      name === field && isEntry(item) ? matches(wanted, found, item) : usual,
    );
  }
}

/** Overrides of an offset-based listing. */
export class OffsetBuilder extends ListingBuilder<OffsetPage> {
  override when(...conditions: readonly CallPredicate[]): OffsetBuilder {
    return new OffsetBuilder(this.all(conditions));
  }

  item(transform: (item: JsonObject, context: ItemContext<OffsetPage>) => JsonObject): RulesOverride {
    return this.after('versions.shown', (shown, _item, _whole, index, page, call) =>
      transform(shown, { index: page.page * page.perPage + index, page, call }),
    );
  }

  /** The whole response body. */
  body(transform: (body: JsonObject, page: OffsetPage, call: Call) => JsonObject): RulesOverride {
    return this.after('versions.answered', (usual, _body, page, call) => transform(usual, page, call));
  }

  /** The items of a page. */
  items(
    transform: (
      items: readonly JsonObject[],
      page: OffsetPage,
      all: readonly JsonObject[],
    ) => readonly JsonObject[],
  ): RulesOverride {
    return this.after('versions.items', (usual, all, page) => transform(usual, page, all));
  }

  /** Index of a page's first item; the page is `per_page` long. */
  start(start: (page: OffsetPage) => number): RulesOverride {
    return this.items((_items, page, all) => all.slice(start(page), start(page) + page.perPage));
  }

  /** Index of a page's first item and of the one behind its last. */
  range(range: (page: OffsetPage) => readonly [start: number, end: number | undefined]): RulesOverride {
    return this.items((_items, page, all) => all.slice(...range(page)));
  }
}
