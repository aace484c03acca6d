import type { ExperimentEntry } from '../../contract/data-set.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { OffsetPage } from '../../fake/pages.ts';
import type { RulesOverride } from '../../fake/rules.ts';
import { Builder } from './builder.ts';
import { isEntry } from './predicates.ts';
import { transformAt } from './values.ts';

/** Overrides of the items of a listing. */
abstract class ListingBuilder extends Builder {
  /** Changes each item. */
  abstract item(transform: (item: JsonObject, call: Call) => JsonObject): RulesOverride;

  /** Changes the value at a path of each item (`allocations[].weight`) if it is present; undefined omits it. */
  field(path: string, transform: (value: unknown, call: Call) => unknown): RulesOverride {
    return this.at(path, (value, call) => (value === undefined ? undefined : transform(value, call)));
  }

  /** Adds this value to each item that has none at the path. */
  fieldDefault(path: string, value: unknown): RulesOverride {
    return this.at(path, (member) => (member === undefined ? value : member));
  }

  private at(path: string, transform: (value: unknown, call: Call) => unknown): RulesOverride {
    return this.item((item, call) => {
      const changed = transformAt(item, path, (value) => transform(value, call));
      return isObject(changed) ? changed : item;
    });
  }
}

/** Overrides of a checkpoint-based listing. */
export class CheckpointBuilder extends ListingBuilder {
  item(transform: (item: JsonObject, call: Call) => JsonObject): RulesOverride {
    return this.after('experiments.shown', (shown, _item, _index, _page, call) => transform(shown, call));
  }

  /** Changes how one filter matches an experiment. */
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
export class OffsetBuilder extends ListingBuilder {
  item(transform: (item: JsonObject, call: Call) => JsonObject): RulesOverride {
    return this.after('versions.shown', (shown, _item, _whole, _index, _page, call) =>
      transform(shown, call),
    );
  }

  /** Sets the index of a page's first item; the page has `per_page` items. */
  start(start: (page: OffsetPage) => number): RulesOverride {
    return this.replace('versions.items', (all, page) => all.slice(start(page), start(page) + page.perPage));
  }
}
