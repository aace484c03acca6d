import type { ExperimentEntry } from '../../contract/data-set.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import type { CheckpointPage, OffsetPage, RulesOverride } from '../../fake/rules.ts';
import type { Filters } from '../../fake/tenant.ts';
import type { CallPredicate } from '../rule-overrides.ts';
import { Builder } from './builder.ts';
import { isEntry } from './predicates.ts';
import { transformAt } from './values.ts';

/** Where an item stands. */
export interface ItemContext {
  /** Index among all items of the listing. */
  readonly index: number;
  readonly call: Call;
}

/** Overrides of the items of a listing. */
abstract class ListingBuilder extends Builder {
  /** Each item is changed. */
  abstract item(transform: (item: JsonObject, context: ItemContext) => JsonObject): RulesOverride;

  /** What is at a path of each item, `allocations[].weight`, is changed where it is there; undefined omits it. */
  field(path: string, transform: (value: unknown, context: ItemContext) => unknown): RulesOverride {
    return this.at(path, (value, context) => (value === undefined ? undefined : transform(value, context)));
  }

  /** Where nothing is at a path of an item there is this value. */
  fieldDefault(path: string, value: unknown): RulesOverride {
    return this.at(path, (member) => (member === undefined ? value : member));
  }

  private at(path: string, transform: (value: unknown, context: ItemContext) => unknown): RulesOverride {
    return this.item((item, context) => {
      const changed = transformAt(item, path, (value) => transform(value, context));
      return isObject(changed) ? changed : item;
    });
  }
}

/** Overrides of a checkpoint-based listing. */
export class CheckpointBuilder extends ListingBuilder {
  override when(...conditions: readonly CallPredicate[]): CheckpointBuilder {
    return new CheckpointBuilder(this.all(conditions));
  }

  item(transform: (item: JsonObject, context: ItemContext) => JsonObject): RulesOverride {
    return this.after('experiments.shown', (shown, _item, index, page, call) =>
      transform(shown, { index: page.first + index, call }),
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

  /** Position in the total order of the next page's first match; undefined makes the page the last. */
  next(transform: (page: CheckpointPage, call: Call) => number | undefined): RulesOverride {
    return this.replace('experiments.next', transform);
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
export class OffsetBuilder extends ListingBuilder {
  override when(...conditions: readonly CallPredicate[]): OffsetBuilder {
    return new OffsetBuilder(this.all(conditions));
  }

  item(transform: (item: JsonObject, context: ItemContext) => JsonObject): RulesOverride {
    return this.after('versions.shown', (shown, _item, _whole, index, page, call) =>
      transform(shown, { index: page.page * page.perPage + index, call }),
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
}
