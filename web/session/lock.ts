import { goToLockScreen } from './leave.ts'
import { here } from './here.ts'

/** Written and taken away again: it only tells the other tabs of this browser. */
const sign = 'session-lock'

/** Leaves for the lock screen, which locks the session on the server; so do all other tabs. */
export function lock(): void {
  localStorage.setItem(sign, 'locked')
  localStorage.removeItem(sign)
  goToLockScreen(here())
}

/** Follows when another tab locks. */
export function followLock(): () => void {
  const leave = ({ key, newValue }: StorageEvent) => {
    if (key === sign && newValue !== null) goToLockScreen(here())
  }
  addEventListener('storage', leave)
  return () => removeEventListener('storage', leave)
}
