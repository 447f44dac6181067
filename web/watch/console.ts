/** Where the console keeps its session, in the same browser. */
const consoleKey = 'persist:auth'

/** Where storage is forbidden, the console keeps nothing either. */
export function consoleToken(): string | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(consoleKey) ?? '{}') as { token?: unknown }
    return typeof stored.token === 'string' ? stored.token : undefined
  } catch {
    return undefined
  }
}

/** The same as if somebody had signed out in the console, whose other tabs hear of it. */
export const forgetConsole = (): void =>
  localStorage.setItem(consoleKey, JSON.stringify({ token: null, user: null, isAuthenticated: false }))
