import { number, string } from '../child.ts';
import { load } from '../load.ts';
import { answer, tell } from './tell.ts';

/** The load generator, in a process of its own so that it has a core of its own. */
answer(async (asked) => {
  const { requests, seconds, busySeconds } = await load({
    // One a line.
    urls: string(asked, 'urls').split('\n'),
    token: string(asked, 'token'),
    connections: number(asked, 'connections'),
    seconds: number(asked, 'seconds'),
  });
  return { requests, seconds, busySeconds };
});
tell({});
