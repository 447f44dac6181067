import type { FastifyInstance, FastifyRequest } from 'fastify'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { playerTexts, type PlayerTexts } from '#contract/watch-page.ts'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { tracksOf } from '#contract/videos/shown-captions.ts'
import { shownOf } from '#contract/videos/shown-chapters.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { type Part, worthTelling } from '#contract/tracking/missing-parts.ts'
import { languageOf } from '#server/platform/http/pages/languages.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import { sayIn } from '#server/platform/messages.ts'
import { addressOf } from '#server/platform/http/address.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { mediaPath, signMedia } from '#server/platform/http/pages/media-link.ts'
import { type Keys, sha256 } from '#server/platform/keys.ts'
import { readEntries } from '../../platform/http/pages/built.ts'
import { visitorLimit } from '../../tracking/ingest/visitors.ts'
import { chosenIn, rememberChoice } from '../choice.ts'
import {
  busy,
  drawNotice,
  linkEnds,
  missing,
  refusals,
  soon,
  type PageNotice,
  type PageAnswer,
  send,
} from '../notices.ts'
import { watchPage } from './page.ts'
import { gatePage, watcherRoute } from './sign-in.ts'
import { watcherOf, type Watcher } from '#server/identity/watcher.ts'
import type { PageText } from '../shell.ts'
import { findDraftStops, findWatchable, type Watchable } from './queries.ts'
import { consentHashOf } from '#server/tracking/consents.ts'
import { servedTo, type Serving } from '#server/tracking/served/served.ts'
import { readPlay, startPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { knownNames, valuesOf } from '../../directory/people/variables.ts'
import { openSlots } from '../../documents/mail/filling.ts'
import { blocksOf } from '../../documents/mail/markdown.ts'

type Ready = Watchable & { versionId: string; durationMs: number }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Serves the public video page. It writes nothing about anybody, because mail scanners and prefetching browsers fetch it too; a message
 * counts as opened when the page in front of somebody says so with its first batch (`impression`).
 */
export function videoPageRoutes(app: FastifyInstance, mount: Mount, services: Serving): void {
  const { env } = services
  const limit = visitorLimit(services)
  let scripts: ReturnType<typeof readEntries>
  const notice = (language: Language, one: PageNotice) => drawNotice(env, language, one)

  async function answer(request: FastifyRequest<Address>): Promise<PageAnswer> {
    const { id } = request.params
    const secret = request.query.d
    const linkHash = typeof secret === 'string' && /^[\w-]{43}$/.test(secret) ? sha256(secret) : null
    const video = uuid.test(id) ? await findWatchable(services.db, { videoId: id, linkHash }) : undefined
    const language = shownIn(request, video)
    if (!video) return notice(language, missing)
    const trial = trialOf(services.keys, request.query.preview, video)
    if (trial && !isLook(trial)) video.quiz = await findDraftStops(services.db, trial.claims)
    const refusal = trial && !isLook(trial) ? undefined : refusalOf(video)
    if (refusal) return notice(language, refusal)
    scripts ??= readEntries()
    const asked = asksSignIn(video, trial) ? { as: await watcherOf(services, request) } : undefined
    if (asked && (trial || asked.as?.userId !== video.userId)) return gate(request, { video, language })
    if (!isReady(video)) return notice(language, soon)
    const isVisit = !trial && video.deliveryId === null && request.method === 'GET'
    const wait = isVisit ? await limit({ videoId: id, ip: addressOf(request) }) : 0
    if (wait > 0) return { ...notice(language, busy), retryAfter: wait }
    const address = addressIn(request)
    const shown = trial ? unwatched(video) : video
    const drawn = { video: shown, scripts, trial, language, address, watcher: asked?.as }
    return { ...pageOf(services, drawn), status: 200 }
  }

  function gate(
    { query, params }: FastifyRequest<Address>,
    { video, language }: { video: Watchable; language: Language },
  ): PageAnswer {
    const link = typeof query.d === 'string' ? query.d : ''
    const address = `/w/video/${params.id}?${new URLSearchParams({ d: link }).toString()}`
    const script = scripts?.get('gate')
    return { ...gatePage({ video, language, product: env.productName, address, link, script }), status: 403 }
  }

  watcherRoute(mount, services)

  app.get<Address>('/w/video/:id', async (request, reply) => {
    const page = await answer(request)
    rememberChoice(services.env, request, reply)
    return send(reply, page)
  })
}

type Address = {
  Params: { id: string }
  Querystring: { d?: unknown; preview?: unknown; language?: unknown }
}

/**
 * Chooses the language that the address names, or that was chosen before; else that of the person, or for strangers that of their browser;
 * else the usual one.
 */
function shownIn(request: FastifyRequest<Address>, video: Watchable | undefined): Language {
  const chosen = chosenIn(request)
  if (video?.deliveryId) return languageOf(chosen, '', video.language ?? video.usualLanguage)
  return languageOf(chosen, request.headers['accept-language'], video?.usualLanguage)
}

/** Returns the query of the address, without the language. */
function addressIn({ query: { d, preview } }: FastifyRequest<Address>): string {
  const present = Object.entries({ d, preview }).filter(
    (one): one is [string, string] => typeof one[1] === 'string',
  )
  return `?${new URLSearchParams(present).toString()}`
}

function textsIn(language: Language): PlayerTexts {
  const say = sayIn(language, 'watch')
  const text = (key: (typeof playerTexts)[number]) =>
    key === 'continuing' ? say(key, { time: '{time}' }) : say(key)
  return Object.fromEntries(playerTexts.map((key) => [key, text(key)])) as PlayerTexts
}

const watchesSignedIn = ({ policies }: Watchable) => policies.whoMayWatch === 'signed_in'

/**
 * Says whether this page opens for its recipient alone, once they are signed in. Whoever writes the questions of a video tries it as before;
 * whoever looks at the link of somebody else does not.
 */
const asksSignIn = (video: Watchable, trial: Trial | undefined): boolean =>
  video.deliveryId !== null && watchesSignedIn(video) && (trial === undefined || isLook(trial))

function refusalOf(video: Watchable): PageNotice | undefined {
  const isOpen = video.privacy === 'public' || (video.privacy === 'link' && !watchesSignedIn(video))
  if (video.linkEnd !== null) return linkEnds[video.linkEnd](video)
  if (video.deliveryId === null && !isOpen) return refusals.personal
  if (video.state === 'archived') return refusals.gone
  if (!isReady(video) && video.state === 'failed') return refusals.failed
  return undefined
}

function isReady(video: Watchable): video is Ready {
  return video.ready && video.versionId !== null && video.durationMs !== null
}

const isLook = ({ claims }: Trial) => claims.delivery !== undefined

/** Takes away what a recipient did, and what they would do in their place, from the page of whoever tries the video. */
function unwatched(video: Ready): Ready {
  return { ...video, position: null, watched: false, missing: null, asked: null }
}

type Trial = { token: string; claims: PlayClaims }

/**
 * Returns the trial that a token allows. Its holder may open a video that is not public because they may write its questions, or looks at
 * the link of somebody else. The token says so, and that nothing is kept.
 */
function trialOf(keys: Keys, token: unknown, video: Watchable): Trial | undefined {
  const claims = typeof token === 'string' ? readPlay(keys, token) : 'forged'
  if (typeof token !== 'string' || typeof claims === 'string') return undefined
  const { kind, video: videoId, delivery = video.deliveryId } = claims
  const isMeant = kind === 'preview' && videoId === video.videoId && delivery === video.deliveryId
  return isMeant && claims.version === video.versionId ? { token, claims } : undefined
}

/** A program makes more gaps than these, and they would make a large page. */
const mostParts = 200

/** Returns the parts that a reminder plays; undefined where it plays all of the video. */
function partsOf({ missing }: Watchable): readonly Part[] | undefined {
  const parts = parseRanges(missing ?? '')
    .filter(worthTelling)
    .slice(0, mostParts)
  return parts.length === 0 ? undefined : parts
}

type DrawnPage = {
  video: Ready
  scripts: ReturnType<typeof readEntries>
  trial: Trial | undefined
  language: Language
  address: string
  /** The recipient had to sign in, and has. */
  watcher: Watcher | undefined
}

/** A link opens in a tab of its own, which learns nothing of the page with the personal link. */
const attributes = { a: ' target="_blank" rel="noopener noreferrer nofollow"' }

/** Returns what the sender wrote to this recipient as HTML, as it stands in their mail; null for everybody else. */
function letterHtml(video: Watchable, due: string | null): string | null {
  const { words, recipient, address, fields, named, title, sender, organization } = video
  if (words === null || recipient === null || address === null) return null
  const slots = openSlots(knownNames(named ?? []))
  const blocks = blocksOf(slots.mark(words), attributes, slots.hrefOf).map(slots.maybe)
  const person = valuesOf({ name: recipient, address, fields: fields ?? {} }, named ?? [])
  return slots.fillHtml(blocks.map(({ html }) => html).join(''), {
    ...person,
    organization,
    video: title,
    sender: sender ?? '',
    due: due ?? '',
  })
}

function pageOf(
  { env, keys, served }: Serving,
  { video, scripts, trial, language, address, watcher }: DrawnPage,
): PageText {
  const { videoId, versionId, durationMs, organizationId, organization } = video
  const { trackingMode, consentText } = video.policies
  const due = video.dueAt && dueText(video.dueAt, video.timeZone, localeOf[language])
  const consent = consentText ?? null
  const run = served.run()
  const parts = partsOf(video)
  const chapters = shownOf(video.chapters)
  const filesOf = (name: string) => {
    const { file = '', imports = [] } = scripts?.get(name) ?? {}
    return [file, ...imports]
  }
  const scriptOf = (name: string) => filesOf(name)[0] ?? ''
  const { token, claims } =
    trial ??
    startPlay(keys, {
      org: organizationId,
      video: videoId,
      version: versionId,
      durMs: durationMs,
      ...(video.transmissionId !== null && video.deliveryId !== null && video.userId !== null
        ? {
            transmission: video.transmissionId,
            delivery: video.deliveryId,
            userId: video.userId,
            kind: 'recipient',
          }
        : { kind: 'visitor' }),
      maxRate: video.policies.maxRate,
      theta: video.policies.completionThreshold,
      ...(consent ? { consent: consentHashOf(consent) } : {}),
      ...(run === undefined ? {} : { run }),
      ...(watcher && { signedIn: watcher.sessionId, amr: watcher.amr }),
    })
  const grant = { organizationId, videoId, versionId, seconds: durationMs / 1000 }
  // Pictures keep an address that browsers can share between visits.
  const pictures = signMedia(keys, { ...grant, scope: 'pictures' })
  const media = signMedia(keys, { ...grant, play: servedTo(claims) })
  return watchPage({
    language,
    address,
    product: env.productName,
    mediaOrigin: env.mediaOrigin,
    title: video.title,
    description: video.description?.trim() || null,
    organization,
    accentColor: video.accentColor,
    logo: video.logo && { ...video.logo, src: picturePath(video.logo.key) },
    sender: video.sender,
    recipient: video.recipient,
    words: letterHtml(video, due),
    due,
    isOpen: !video.isDone && Date.parse(video.dueAt ?? '') > Date.now(),
    step: video.step,
    isTrial: trial !== undefined,
    isLook: trial !== undefined && isLook(trial),
    consent,
    recordsCompletionsOnly: trackingMode === 'completed_only',
    poster: video.poster === null ? null : mediaPath(pictures, grant, video.poster),
    width: video.width ?? 16,
    height: video.height ?? 9,
    asked: video.asked ?? [],
    timeZone: video.timeZone,
    tracks: tracksOf(video.captions ?? [], (file) => mediaPath(media, grant, file)),
    data: {
      texts: textsIn(language),
      playToken: token,
      hls: mediaPath(media, grant, 'master.m3u8'),
      engine: filesOf('engine'),
      controls: filesOf('controls'),
      receipt: scriptOf('receipt'),
      ...(trial
        ? {}
        : { own: { script: scriptOf('own'), isPersonal: video.deliveryId !== null, organization } }),
      watched: video.watched || parts !== undefined,
      ...(parts && { missing: parts }),
      durationMs,
      position: parts ? 0 : (video.position ?? 0),
      ...(chapters.length > 0 && { chapters: { script: scriptOf('chapters'), list: chapters } }),
      ...(video.captions && { captions: scriptOf('captions') }),
      ...(video.captions?.some(({ kind }) => kind !== 'descriptions') && {
        transcript: scriptOf('transcript'),
      }),
      ...(video.quiz && { quiz: { ...video.quiz, script: scriptOf('quiz') } }),
    },
    script: scripts?.get('watch'),
  })
}
