import type { Services } from '../http/services.ts'
import { startLoop, type Loop } from '../loop.ts'
import { drain, type DerivedFigure } from './keys.ts'

/** Works out what has changed for as long as the process runs, each figure in a loop of its own, which rests as long as it has worked. */
export function startDeriving({ db, log }: Services, figures: readonly DerivedFigure[]): Pick<Loop, 'stop'> {
  const loops = figures.map((figure) =>
    startLoop(
      { log, failure: `${figure.name} could not be brought up to date; it will be tried again` },
      async (stopping) => {
        const began = performance.now()
        await drain(db, figure, () => !stopping.aborted)
        return Math.max(figure.restMs, performance.now() - began)
      },
    ),
  )
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) }
}
