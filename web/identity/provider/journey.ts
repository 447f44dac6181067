import { paths, returnAddress } from '#web/paths.ts'

type Journey = {
  /** Where somebody goes on when they are back from their provider. */
  back: string
  /** It goes on in a window of its own; the page that waits for it has lost nothing. */
  isWindow: boolean
}

const key = 'at-provider'

/** What a tab remembers while it is at the provider: the address that leads back names nothing of it. */
export const journey = {
  begin(given: Journey): void {
    try {
      sessionStorage.setItem(key, JSON.stringify(given))
    } catch {
      // Without, one goes on at the dashboard.
    }
  },
  read(): Journey {
    try {
      const { back, isWindow } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Journey>
      return { back: returnAddress(back ?? null), isWindow: isWindow === true }
    } catch {
      return { back: paths.dashboard(), isWindow: false }
    }
  },
}
