/** What browsers, and the build's own loader of styles, say about a file that could not be fetched. */
const messages =
  /^(Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Unable to preload CSS)/i

/** Whether a part of the console could not be fetched: gone after an update of the server, or no connection. */
export function isLostChunk(error: unknown): boolean {
  return error instanceof Error && messages.test(error.message)
}

/** The script that this page was started with; every build names it anew. */
function startScript(): string {
  return document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src') ?? ''
}

const key = 'reloaded-for'

/** Reloads the page when the server has another build than the one that runs here: once for each build, so never in a loop. */
export async function reloadIfUpdated(): Promise<'reloading' | 'updated' | 'same' | 'unreachable'> {
  const script = startScript()
  try {
    const answer = await fetch(location.href, { cache: 'no-store', headers: { accept: 'text/html' } })
    if ((await answer.text()).includes(script)) return 'same'
    if (sessionStorage.getItem(key) === script) return 'updated'
    sessionStorage.setItem(key, script)
    location.reload()
    return 'reloading'
  } catch {
    return 'unreachable'
  }
}
