import type { Reply } from '#contract/endpoint.ts'
import { refuse } from '#server/platform/errors.ts'
import { enterAsWatcher } from '#contract/tracking/tracks.ts'
import type { GateData } from '#contract/watch-page.ts'
import type { Language } from '#contract/platform/text/languages.ts'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { personBehind } from '#server/platform/http/bearer.ts'
import { videoPagePolicy } from '#server/platform/http/headers.ts'
import type { BuiltScript } from '#server/platform/http/pages/built.ts'
import { escapeHtml } from '#server/platform/http/pages/html.ts'
import type { Mount } from '#server/platform/http/mount.ts'
import type { Services } from '#server/platform/http/services.ts'
import { sayIn } from '#server/platform/messages.ts'
import { letWatch } from '#server/identity/watcher.ts'
import { pacer, requireTurn } from '#server/tracking/ingest/pace.ts'
import { findBySecret, isSecret } from '../own/owner.ts'
import { bandOf, choiceOf, shell, type PageText } from '../shell.ts'
import type { Watchable } from './queries.ts'

/** Where the console asks who somebody is, and leads back to this address of its own. */
const signInAt = (address: string) => `/auth-1/sign-in?${new URLSearchParams({ return: address }).toString()}`

const style = `
.card{display:grid;gap:.75rem}
.card p{margin:0}
.card a.go,.card button{justify-self:start;display:inline-grid;align-items:center;min-height:2.75rem;padding:0 1.25rem;font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:1px solid var(--accent);border-radius:var(--corner);text-decoration:none}
.told{color:var(--ink);font-weight:600}
`.replaceAll('\n', '')

type Gate = {
  video: Pick<Watchable, 'title' | 'organization' | 'accentColor' | 'logo' | 'recipient'>
  language: Language
  product: string
  /** The page of the video with its personal link, as a path; and the link itself. */
  address: string
  link: string
  script: BuiltScript | undefined
}

/**
 * Draws what stands in place of a video until its recipient has signed in: why, as whom, and one way on. It has nothing of the video but its
 * title, which stands in the message too. Where the console is open in this browser, the script of the page sees to the rest.
 */
export function gatePage({ video, language, product, address, link, script }: Gate): PageText {
  const { title, organization, accentColor, recipient } = video
  const say = sayIn(language, 'watch')
  const person = recipient ?? ''
  const signIn = signInAt(address)
  const data: GateData = {
    link,
    address,
    signIn,
    texts: {
      other: say('signInOther', { name: '{name}', person }),
      cookies: say('signInCookies'),
      failed: say('signInFailed'),
    },
  }
  const files = script
    ? `${script.imports.map((file) => `<link rel="modulepreload" href="${file}">\n`).join('')}<script type="module" src="${script.file}"></script>\n`
    : ''
  return shell({
    language,
    accentColor,
    policy: videoPagePolicy,
    moreStyle: style,
    choice: choiceOf({ language, address: address.slice(address.indexOf('?')) }),
    title,
    product,
    head: files,
    body: `${bandOf({ language, organization, recipient, logo: video.logo && { ...video.logo, src: picturePath(video.logo.key) } })}
<main>
<div class="card">
<p class="soft">${escapeHtml(title)}</p>
<h1>${escapeHtml(say('signInTitle'))}</h1>
<p id="why">${escapeHtml(say('signInText', { organization, person }))}</p>
<p class="told" id="told" role="status" hidden></p>
<a class="go" id="sign-in" href="${escapeHtml(signIn)}">${escapeHtml(say('signInButton'))}</a>
<button id="change" type="button" hidden>${escapeHtml(say('signInChange', { person }))}</button>
<p class="soft">${escapeHtml(say('signInHelp', { organization }))}</p>
</div>
</main>
<script type="application/json" id="gate">${JSON.stringify(data).replaceAll('<', String.raw`\u003c`)}</script>`,
  })
}

/**
 * Says whether the person who is signed in to the console is the one for whom a link was made, and if so lets this browser open the page.
 * When a superadmin looks through the eyes of the recipient, it is the superadmin who sits there.
 */
export function watcherRoute(mount: Mount, services: Services): void {
  const wait = pacer({ burst: 20, everyMs: 1_000 })
  mount(enterAsWatcher, async ({ body: { link }, caller, reply }): Promise<Reply<typeof enterAsWatcher>> => {
    const owner = isSecret(link) ? await findBySecret(services.db, link) : undefined
    if (!owner) throw refuse('not_found')
    requireTurn(wait(owner.deliveryId, Date.now()))
    if (owner.linkEnd !== null) throw refuse('link_ended')
    if (!caller || caller.isLocked) return { status: 'nobody' }
    const { id, name } = personBehind(caller)
    if (id !== owner.userId) return { status: 'other', name }
    letWatch(services, reply, caller.sessionId)
    return { status: 'recipient' }
  })
}
