import type { WatchData } from '#contract/watch-page.ts'

/** Where the console keeps its session, in the same browser. */
const consoleKey = 'persist:auth'
/** That whoever reads this page has said that they are its recipient; for this tab and this link. */
const saidKey = () => `reader ${new URLSearchParams(location.search).get('d')}`

/**
 * The token under which what is played counts. Where somebody else is signed in to the console, there is none: the page opens again as
 * a preview, which says whose link it is, and comes back once they have said that they are that person.
 */
export async function countingToken({ own, playToken }: WatchData): Promise<string | undefined> {
  const button = document.getElementById('reader')
  button?.addEventListener('click', () => {
    sessionStorage.setItem(saidKey(), 'yes')
    leaveFor((address) => address.delete('preview'))
  })
  const bearer = own?.isPersonal ? consoleToken() : undefined
  if (bearer === undefined) return playToken
  const isRecipient = sessionStorage.getItem(saidKey()) !== null
  const answer = await fetch('/api/tracks/reader', {
    method: 'POST',
    // Whoever watches is not at the console, and keeps no session of it open.
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, 'x-idle': '1' },
    body: JSON.stringify({ playToken, isRecipient }),
  })
  if (!answer.ok) throw new Error('not answered')
  const reply = (await answer.json()) as { playToken: string; counts: boolean }
  if (reply.counts) return reply.playToken
  leaveFor((address) => address.set('preview', reply.playToken))
  return undefined
}

function leaveFor(change: (address: URLSearchParams) => void): void {
  const address = new URLSearchParams(location.search)
  change(address)
  location.replace(`?${address.toString()}`)
}

/** Where storage is forbidden, the console keeps nothing either. */
function consoleToken(): string | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(consoleKey) ?? '{}') as { token?: unknown }
    return typeof stored.token === 'string' ? stored.token : undefined
  } catch {
    return undefined
  }
}
