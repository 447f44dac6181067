import type { FastifyInstance } from 'fastify'
import { makeCards } from '#contract/cards.ts'
import { makerOf } from '../documents/thread.ts'
import type { Mount } from '../platform/http/mount.ts'
import type { Services } from '../platform/http/services.ts'
import { cardsFor } from './make.ts'
import type { Cards } from './sheet.ts'

const draw = makerOf<Cards>({
  file: new URL('card-worker.ts', import.meta.url),
  waitingAtMost: 20,
  maxMegabytes: 256,
})

export function cardsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(makeCards, async ({ caller, scope, request, params, body }) => {
    const by = { caller, by: { caller, request }, services }
    const cards = await services.db.as(scope, (tx) => cardsFor(tx, by, { ...params, body }))
    return {
      name: body.format === 'card' ? 'cards.pdf' : 'letters.pdf',
      type: 'application/pdf',
      content: (async function* () {
        yield await draw(async () => cards)
      })(),
    }
  })
}
