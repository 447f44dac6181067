import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import type { Language } from '#contract/platform/text/languages.ts'
import { Refusal, refuse } from '../../platform/errors.ts'
import { sayIn } from '../../platform/messages.ts'
import { issue } from '../../evidence/certificates/issue.ts'
import { drawn } from '../../evidence/certificates/pdf.ts'
import { readStored } from '../../evidence/certificates/queries.ts'
import { noteTaking, ownFile } from '../../evidence/privacy/own-data.ts'
import { subjectOf } from '../../evidence/privacy/person-data.ts'
import { rememberChoice } from '../choice.ts'
import { confirm } from '../../duty/confirmations.ts'
import { drawNotice, linkEnds, send, type PageNotice, type PageAnswer } from '../notices.ts'
import { watcherOf } from '../../identity/watcher.ts'
import { pacer, requireTurn } from '../../tracking/ingest/pace.ts'
import { linkSecret } from '../../transmissions/recipients/link.ts'
import { languageFor } from './answer.ts'
import { deviceOf, forgetDevice, type Device } from './device.ts'
import { findDuties, findOwnCertificates, hasDone } from '../../duty/own-duties.ts'
import { findBySecret, isSecret, type Owner } from './owner.ts'
import { findNext } from './next.ts'
import { linkPage, trainingPage, type Asking } from './page.ts'
import { askCode, tryPinToOpen, tryToOpen } from './proof.ts'
import { unsubscribePages } from './unsubscribe.ts'
import { cut } from '#contract/platform/text/text.ts'

type TrainingPageRequest = FastifyRequest<{
  Querystring: { d?: unknown; language?: unknown }
  Params: { id?: string }
}>
/** A form of the page sends these fields, and a stranger may have written everything in them. */
type Fields = { d?: string; flow?: string; code?: string; video?: string; obligation?: string }
type Posted = FastifyRequest<{ Body: Fields }>

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const formBytes = 4_096

/** A visit comes by a link, and `device` is there where this device is open for the same person. */
type Visit = { owner: Owner; secret: string | null; device: Device | undefined; language: Language }

/**
 * Shows what somebody owes and has done, without an account. A personal link alone shows its own video; the rest is for whoever types in,
 * once on each device, the code that was mailed to the person. Pages are drawn here, forms are sent by the browser, and no script runs.
 */
export function ownTrainingRoutes(app: FastifyInstance, _mount: Mount, services: Services): void {
  void app.register(async (scoped) => {
    // The parsers are replaced, so that nothing but what the forms of the page send is read.
    scoped.removeAllContentTypeParsers()
    scoped.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    )
    scoped.addHook('onRequest', async ({ headers, method }) => {
      const from = headers['sec-fetch-site']
      if (method === 'POST' && from !== undefined && from !== 'same-origin') throw refuse('forbidden')
    })
    pages(scoped, services)
    files(scoped, services)
  })
  void app.register(async (scoped) => unsubscribePages(scoped, services))
}

function pages(app: FastifyInstance, services: Services): void {
  app.get('/w/me', async (request: TrainingPageRequest, reply) => {
    rememberChoice(services.env, request, reply)
    const visit = await visitOf(services, request, request.query.d)
    if ('status' in visit) return send(reply, visit)
    return send(reply, await shown(services, visit, { notice: null, flow: null }))
  })

  app.post('/w/me/code', async (request: Posted, reply) => {
    const visit = await visitOf(services, request, request.body?.d)
    if ('status' in visit) return send(reply, visit)
    const say = sayIn(visit.language, 'training')
    // Somebody whose link stands on a card has no mailbox that could prove anything.
    if (visit.owner.hasPin) return send(reply, await shown(services, visit, { notice: null, flow: null }))
    const asking = await askCode({ services, owner: visit.owner, request, say })
    return send(reply, await shown(services, { ...visit, device: undefined }, asking))
  })

  app.post('/w/me/open', async (request: Posted, reply) => {
    const { d, flow = '', code = '' } = request.body ?? {}
    const visit = await visitOf(services, request, d)
    if ('status' in visit) return send(reply, visit)
    const say = sayIn(visit.language, 'training')
    const { owner } = visit
    const asking = await tryToOpen({ services, owner, request, say }, { code: cut(code, 20), flow, reply })
    // The secret is left out, so that the address from here on opens nothing elsewhere.
    if (!asking) return reply.redirect('/w/me', 303)
    return send(reply, { ...(await shown(services, visit, asking)), status: 422 })
  })

  app.post('/w/me/pin', async (request: Posted, reply) => {
    const { d, code = '' } = request.body ?? {}
    const visit = await visitOf(services, request, d)
    if ('status' in visit) return send(reply, visit)
    const say = sayIn(visit.language, 'training')
    const { owner } = visit
    const asking = await tryPinToOpen({ services, owner, request, say }, { code: cut(code, 20), reply })
    if (!asking) return reply.redirect('/w/me', 303)
    return send(reply, { ...(await shown(services, visit, asking)), status: 422 })
  })

  app.post('/w/me/confirm', async (request: Posted, reply) => {
    const { d, obligation = '' } = request.body ?? {}
    const visit = await visitOf(services, request, d)
    if ('status' in visit) return send(reply, visit)
    if (!(await mayConfirm(services, request, visit))) return reply.redirect(pageOf(visit), 303)
    const done = await confirmed(services, request, { ...visit, obligation })
    if (done === undefined) return send(reply, drawNotice(services.env, visit.language, notTheirs))
    if (!done.isConfirmed) return send(reply, drawNotice(services.env, visit.language, tooEarly))
    return reply.redirect(visit.secret === null ? '/w/me' : `${pageOf(visit)}#confirm-${obligation}`, 303)
  })

  app.post('/w/me/forget', async (request: Posted, reply) => {
    const visit = await visitOf(services, request, undefined)
    forgetDevice(services, reply)
    if ('status' in visit) return send(reply, visit)
    return send(reply, needsLink(services, visit.language))
  })
}

const pageOf = ({ owner, secret }: Visit) =>
  `/w/video/${owner.videoId}?${new URLSearchParams({ d: secret ?? '' }).toString()}`

/** Where only signed-in people watch, a link alone confirms nothing either; the page of its video asks them to sign in. */
async function mayConfirm(services: Services, request: Posted, { owner, secret }: Visit): Promise<boolean> {
  if (!owner.asksSignIn || secret === null) return true
  return (await watcherOf(services, request))?.userId === owner.userId
}

const notTheirs: PageNotice = { status: 403, title: 'confirmNothing', text: 'confirmNothingText' }
const tooEarly: PageNotice = { status: 409, title: 'confirmEarly', text: 'confirmEarlyText' }

/**
 * Confirms for the person alone. A link confirms what is asked about its own video, and nothing on a device that is open for somebody else,
 * to whom the link was passed on.
 */
async function confirmed(
  services: Services,
  request: Posted,
  { owner, device, secret, obligation }: Visit & { obligation: string },
) {
  const opened = device ?? (await deviceOf(services, request))
  if (!uuid.test(obligation) || (opened && opened.owner.userId !== owner.userId)) return undefined
  const { organizationId, userId, deliveryId } = owner
  const videoId = secret === null ? null : owner.videoId
  return services.db.as({ organizationId }, (tx) =>
    confirm(
      tx,
      { caller: { userId }, request },
      { organizationId, userId, deliveryId, obligationId: obligation, videoId },
    ),
  )
}

/** Only an open device may take these files along. */
function files(app: FastifyInstance, services: Services): void {
  const { db, keys } = services
  const wait = pacer({ burst: 3, everyMs: 60_000 })
  const waitForPaper = pacer({ burst: 10, everyMs: 6_000 })

  app.post('/w/me/data', async (request: Posted, reply) =>
    withDevice(request, reply, async ({ organizationId, userId }) => {
      requireTurn(wait(userId, Date.now()))
      await db.as({ organizationId }, (tx) => noteTaking(tx, request, { organizationId, userId }))
      return ownFile(db, subjectOf({ organizationId, userId }))
    }),
  )

  app.post('/w/me/certificate', async (request: Posted, reply) =>
    withDevice(request, reply, async ({ organizationId, userId }) => {
      const videoId = request.body?.video ?? ''
      if (!uuid.test(videoId)) throw refuse('not_found')
      requireTurn(waitForPaper(userId, Date.now()))
      const visibility = { organizationId, groupIds: undefined }
      const stored = await db.as({ organizationId }, async (tx) => {
        if (!(await hasDone(tx, { organizationId, userId }, videoId))) throw refuse('not_found')
        const by = { caller: { userId }, request }
        const id = await issue(tx, { keys, by, about: { visibility, userId, videoId }, isOwn: true })
        return readStored(tx, { of: { visibility, userId }, id })
      })
      return drawn(services, stored)
    }),
  )

  app.get('/w/me/certificates/:id', async (request: TrainingPageRequest, reply) =>
    withDevice(request, reply, async ({ organizationId, userId }) => {
      const { id = '' } = request.params
      if (!uuid.test(id)) throw refuse('not_found')
      requireTurn(waitForPaper(userId, Date.now()))
      const of = { visibility: { organizationId, groupIds: undefined }, userId }
      return drawn(services, await db.as({ organizationId }, (tx) => readStored(tx, { of, id })))
    }),
  )

  type File = ReturnType<typeof drawn>

  async function withDevice(
    request: TrainingPageRequest | Posted,
    reply: FastifyReply,
    make: (owner: Owner) => Promise<File>,
  ): Promise<FastifyReply> {
    const visit = await visitOf(services, request, undefined)
    if ('status' in visit) return send(reply, visit)
    if (!visit.device) return send(reply, needsLink(services, visit.language))
    try {
      const { name, type, content } = await make(visit.owner)
      void reply.type(type).header('content-disposition', `attachment; filename="${name}"`)
      return await reply.header('cache-control', 'no-store').send(Readable.from(content))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return send(reply, await refusedBy(visit, error))
    }
  }

  async function refusedBy(visit: Visit, { fault }: Refusal): Promise<PageAnswer> {
    const say = sayIn(visit.language, 'training')
    const isTooOften = fault.code === 'too_many_requests'
    const notice = say(isTooOften ? 'tooOften' : 'noCertificate')
    const { retryAfter } = fault
    const page = await shown(services, visit, { notice, flow: null })
    return { ...page, status: isTooOften ? 429 : 409, ...(retryAfter === undefined ? {} : { retryAfter }) }
  }
}

/**
 * Finds the visit by the link that is named, else by the one through which this device was opened. Returns a page that says why the link
 * opens nothing, where it does not.
 */
async function visitOf(
  services: Services,
  request: TrainingPageRequest | Posted,
  d: unknown,
): Promise<Visit | PageAnswer> {
  const opened = await deviceOf(services, request)
  const owner = isSecret(d) ? await findBySecret(services.db, d) : d === undefined ? opened?.owner : undefined
  const language = languageFor(request, owner)
  if (!owner) return needsLink(services, language)
  if (owner.linkEnd !== null) return drawNotice(services.env, language, linkEnds[owner.linkEnd](owner))
  const device = opened && opened.owner.userId === owner.userId ? opened : undefined
  return { owner, secret: isSecret(d) ? d : null, device, language }
}

const needsLink = ({ env }: Services, language: Language): PageAnswer =>
  drawNotice(env, language, { status: 403, title: 'trainingNeedsLink', text: 'trainingNeedsLinkText' })

/** Draws everything where this device is open for the person, else what the link alone shows. */
async function shown(services: Services, visit: Visit, asking: Asking): Promise<PageAnswer> {
  const { owner, secret, device, language } = visit
  const around = { language, product: services.env.productName, owner, secret }
  if (!device) {
    if (secret === null) return needsLink(services, language)
    return { ...linkPage({ ...around, secret }, asking), status: 200 }
  }
  const { organizationId } = owner
  const found = await services.db.as({ organizationId }, async (tx) => ({
    duties: await findDuties(tx, owner),
    next: await findNext(tx, owner),
    certificates: await findOwnCertificates(tx, owner),
  }))
  const page = trainingPage(around, {
    ...found,
    until: device.until,
    refused: asking.notice,
    secretOf: ({ deliveryId, linkHash }) => linkSecret(services.keys, deliveryId, linkHash),
  })
  return { ...page, status: 200 }
}
