import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import type { Services } from '../../platform/http/services.ts'
import { sayIn } from '../../platform/messages.ts'
import { rememberChoice } from '../choice.ts'
import { drawNotice, refusals, send, type PageAnswer } from '../notices.ts'
import { isUnsubscribed, subscribeAgain } from '../../transmissions/barred/will.ts'
import { recordEvents } from '../../transmissions/returns/record.ts'
import { languageFor } from './answer.ts'
import { findBySecret, isSecret, type Owner } from './owner.ts'
import { sheet } from './page.ts'

type UnsubscribeRequest = FastifyRequest<{ Querystring: { d?: unknown; language?: unknown } }>
/** This was done just now; null means that nothing was, and that the page asks. */
type Done = 'unsubscribed' | 'subscribed' | null

const bodyBytes = 4_096

/**
 * Unsubscribes by the link of a message, even one that has ended, without an account. Mail programs post to it in one click (RFC 8058);
 * opened in a browser, it asks first. What somebody owes is sent all the same.
 */
export function unsubscribePages(app: FastifyInstance, services: Services): void {
  const { db, env } = services
  app.removeAllContentTypeParsers()
  // Programs post forms of either kind, which say nothing that the address does not.
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: bodyBytes }, (_request, _body, done) =>
    done(null, null),
  )

  app.get('/w/unsubscribe', async (request: UnsubscribeRequest, reply) => {
    rememberChoice(env, request, reply)
    return send(reply, await answer(request, async (owner) => ((await isOut(owner)) ? 'unsubscribed' : null)))
  })
  app.post('/w/unsubscribe', async (request: UnsubscribeRequest, reply) =>
    send(
      reply,
      await answer(request, async (owner) => {
        if (!(await isOut(owner))) await recordEvents(db, 'reader', { events: [eventOf(owner)] })
        return 'unsubscribed'
      }),
    ),
  )
  app.post('/w/unsubscribe/undo', async (request: UnsubscribeRequest, reply) =>
    send(
      reply,
      await answer(request, async (owner) => {
        const { organizationId } = owner
        await db.as({ organizationId }, (tx) => subscribeAgain(tx, request, owner))
        return 'subscribed'
      }),
    ),
  )

  const isOut = (owner: Owner) =>
    db.as({ organizationId: owner.organizationId }, (tx) => isUnsubscribed(tx, owner))

  async function answer(
    request: UnsubscribeRequest,
    act: (owner: Owner) => Promise<Done>,
  ): Promise<PageAnswer> {
    const { d } = request.query
    const owner = isSecret(d) ? await findBySecret(db, d) : undefined
    const language = languageFor(request, owner)
    if (!isSecret(d) || !owner) return drawNotice(env, language, refusals.personal)
    const done = await act(owner)
    const say = sayIn(language, 'training')
    const { organization } = owner
    const query = new URLSearchParams({ d }).toString()
    const said = {
      unsubscribed: [say('unsubscribed', { organization }), say('unsubscribedBut', { organization })],
      subscribed: [say('subscribed', { organization })],
    }
    const [to, label] =
      done === 'unsubscribed'
        ? ['/w/unsubscribe/undo', say('subscribeAgain')]
        : ['/w/unsubscribe', say('unsubscribe')]
    const body = `<div class="words"><section class="panel">
${done === null ? paragraph(say('unsubscribeAsk', { organization })) : `<div role="status">${said[done].map(paragraph).join('')}</div>`}
<form method="post" action="${to}?${escapeHtml(query)}"><button type="submit">${escapeHtml(label)}</button></form>
</section></div>`
    const title = say('messagesOf', { organization })
    const page = sheet(
      { language, product: env.productName, owner },
      { title, address: `/w/unsubscribe?${query}`, body },
    )
    return { ...page, status: 200 }
  }
}

const paragraph = (words: string) => `<p>${escapeHtml(words)}</p>`

const eventOf = ({ deliveryId }: Owner) => ({
  id: randomUUID(),
  deliveryId,
  kind: 'unsubscribed' as const,
  at: new Date().toISOString(),
  permanent: false,
  about: null,
  status: null,
  detail: null,
})
