import { flow } from '../flow.ts'

/** Where the code is that was asked for; the same whether or not somebody has that address. */
export function CodeText() {
  const { maskedDestination, rests } = flow.read()
  const address = <strong>{maskedDestination}</strong>
  return rests ? (
    <>
      This installation sends no mail yet. If there is an account for {address}, your administrator can tell
      you its code of six digits. It is good for ten minutes.
    </>
  ) : (
    <>If there is an account for {address}, a code of six digits is on its way. It is good for ten minutes.</>
  )
}
