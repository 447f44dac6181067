import type { TestServer } from '../server.ts'

/** Links that were mailed to an address, the newest first. */
export async function invitedTokens({ services }: TestServer, address: string): Promise<string[]> {
  const mails = await services.db.system.query<{ text: string }>(
    'select text from mails where address = $1 order by id desc',
    [address],
  )
  return mails.rows.flatMap(({ text }) => /sign-up\?invite=([\w-]+)/.exec(text)?.[1] ?? [])
}

export async function invitedToken(server: TestServer, address: string): Promise<string> {
  const [token] = await invitedTokens(server, address)
  if (token === undefined) throw new Error(`no invitation was mailed to ${address}`)
  return token
}

/** Lets so many of its days pass. */
export async function daysLater({ services }: TestServer, address: string, days: number): Promise<void> {
  await services.db.system.query(
    `update invitations set expires_at = expires_at - make_interval(days => $2) where email = $1`,
    [address, days],
  )
}
