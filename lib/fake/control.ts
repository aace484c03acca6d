import { isObject } from '../contract/json.ts';
import { createApp, listen } from './app.ts';
import type { Listening } from './http.ts';
import { parseJson } from './json.ts';
import { type State, seed } from './state.ts';
import { type DataSet, DataSetError, dataSetOf } from './tenant.ts';
import { keepText, writeJson } from './written.ts';

/** Large enough for a million experiments. */
const bodyLimit = 2 ** 30;

/** Serves the control protocol (DESIGN, section 5) on an address of its own. */
export async function serveControl(
  state: State,
  options: { host: string; port: number },
): Promise<Listening> {
  const app = createApp({ bodyLimit });
  // Whatever its media type says, a body here is JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parseJson(String(body)));
  });
  const supports = (name: string): boolean => state.rules.control.supports.includes(name);
  const bad = (message: string) => ({ statusCode: 400, error: 'Bad Request', message });

  app.get('/', () => ({ supports: state.rules.control.supports }));
  app.put('/tenant', (request, reply) => {
    if (!supports('seed')) return reply.callNotFound();
    try {
      seed(state, request.body);
    } catch (error) {
      if (!(error instanceof DataSetError)) throw error;
      return reply.code(400).send(bad(error.message));
    }
    return reply.code(204).send();
  });
  app.get('/tenant', (_request, reply) => {
    if (!supports('inspect')) return reply.callNotFound();
    const data = dataSetOf(state.tenant);
    if (isSmall(data)) [data.experiments, data.actions].flat().forEach(keepText);
    const parts = writeJson(state.rules.control.inspected(data));
    return reply.type('application/json; charset=utf-8').send(Buffer.concat(parts.map(bytesOf)));
  });
  app.put('/clock', (request, reply) => {
    if (!supports('clock')) return reply.callNotFound();
    const offset = isObject(request.body) ? request.body.offset_seconds : undefined;
    if (typeof offset !== 'number') return reply.code(400).send(bad('offset_seconds is no number'));
    state.clock.move(offset);
    return reply.code(204).send();
  });
  app.get('/logs', (request, reply) => {
    if (!supports('logs')) return reply.callNotFound();
    const query: unknown = request.query;
    const prefix = isObject(query) ? String(query.correlation_id_prefix ?? '') : '';
    const { control } = state.rules;
    return reply.send({ logs: control.logged(control.logs(state.log), prefix) });
  });
  const origin = await listen(app, options);
  return { origin, close: () => app.close() };
}

/** Most inspections find most of the data as it was, so that its text is worth keeping; but not of a huge one. */
function isSmall({ experiments, actions }: Required<DataSet>): boolean {
  return experiments.length + actions.reduce((sum, { versions }) => sum + versions.length, 0) <= 1000;
}

function bytesOf(part: string | Buffer): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : part;
}
