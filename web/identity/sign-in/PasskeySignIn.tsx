import { useEffect, useRef, useSyncExternalStore } from 'react'
import { passkeysFillIn, passkeysWork } from '#web/api/passkeySupport.ts'
import { goOn } from '../onwards.ts'
import { whenSomebodyIsThere } from '../somebody.ts'
import { usePasskeyPress } from './usePasskeyPress.ts'
import classes from '../public.module.css'

const passkeys = () => import('#web/api/passkeys.ts')

/** A question is good for ten minutes; one that waits is asked anew before. */
const renewal = 9 * 60_000

type Remember = () => boolean

/** Waits for a passkey from the list, again and again; returns what asks anew and what ends it. */
function waitInList(remember: Remember, fail: (error: unknown) => Promise<void>) {
  let isWaiting = false
  let isOver = false
  const ask = async () => {
    if (isOver || !(await passkeysFillIn())) return
    isWaiting = true
    let wasChosen = false
    const onChosen = () => {
      wasChosen = true
    }
    try {
      const { enterByPasskey } = await passkeys()
      goOn(await enterByPasskey('sign_in', { onChosen, remember }))
    } catch (error) {
      // Until somebody chooses one, nobody has asked for a passkey, and nobody misses it.
      if (!isOver && wasChosen) await fail(error)
    }
  }
  const forget = whenSomebodyIsThere(() => void ask())
  const timer = setInterval(() => void ask(), renewal)
  const stop = () => {
    isOver = true
    forget()
    clearInterval(timer)
    if (isWaiting) void passkeys().then(({ stopPasskey }) => stopPasskey())
  }
  return { ask, stop }
}

/** Passkeys in the list below the field of the address, and by a button. */
export function usePasskeySignIn(remember: Remember) {
  const { run, problem, isBusy, fail } = usePasskeyPress()
  const present = useRef({ remember, fail })
  const list = useRef<ReturnType<typeof waitInList>>(null)
  useEffect(() => {
    present.current = { remember, fail }
  })
  useEffect(() => {
    const waiting = waitInList(
      () => present.current.remember(),
      (error) => present.current.fail(error),
    )
    list.current = waiting
    return waiting.stop
  }, [])
  const enter = () =>
    run(async () => {
      try {
        const { enterByPasskey } = await passkeys()
        goOn(await enterByPasskey('sign_in', { remember }))
      } catch (error) {
        // The list was stopped for this; it waits again.
        void list.current?.ask()
        throw error
      }
    })
  return { enter, problem, isBusy }
}

const never = () => () => undefined

/** Not where the browser has no passkeys, such as on plain http. */
export function PasskeyButton({ enter, isBusy }: { enter: () => void; isBusy: boolean }) {
  const isOffered = useSyncExternalStore(never, passkeysWork, () => true)
  if (!isOffered) return null
  return (
    <button type="button" className={classes.button} data-quiet aria-busy={isBusy} onClick={enter}>
      {isBusy && <span className={classes.spinner} aria-hidden />}
      Sign in with a passkey
    </button>
  )
}
