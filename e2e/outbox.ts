import { listOutbox, type OutboxMail } from '#contract/platform/system.ts'
import type { Client } from './client.ts'
import { waitFor } from './mailbox.ts'

/** Reads the mails to an address, newest first; they rest in the outbox where no mail server is set up. */
export async function mailsTo(superadmin: Client, address: string): Promise<OutboxMail[]> {
  const { items } = await superadmin.call(listOutbox, { query: { q: address } })
  return items.filter(({ to }) => to === address)
}

/** Waits for a mail that has the place, and answers what the newest such mail says there. */
export function saidTo(superadmin: Client, address: string, place: RegExp): Promise<string> {
  const look = async () =>
    (await mailsTo(superadmin, address)).map(({ text }) => place.exec(text)?.[1]).find(Boolean)
  return waitFor(look, `${String(place)} in a mail to ${address}`)
}

/** Waits for a mail with a personal link to a video, and answers the path of the newest. */
export const linkTo = (superadmin: Client, address: string): Promise<string> =>
  saidTo(superadmin, address, /https?:\/\/[^/\s]*(\/w\/video\/\S+)/)
