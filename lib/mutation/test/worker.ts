import { examine, loadShared, type Subject } from './subject.ts';

/** A process of `npm run prove`: it is sent subjects, one at a time, and sends back what the suite found. */
const shared = await loadShared();

process.on('message', (subject: Subject) => {
  examine(subject, shared).then(
    (finding) => process.send?.({ finding }),
    (error: unknown) =>
      process.send?.({
        error: `${subject.kind} ${subject.name}: ${error instanceof Error ? error.stack : String(error)}`,
      }),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
