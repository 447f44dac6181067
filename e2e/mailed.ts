import { firstSuperadmin, type Client } from './client.ts'
import { openMailbox, waitFor, type Mailbox } from './mailbox.ts'
import { startProduct, type Product } from './product.ts'
import { test } from './shared.ts'

type PerWorker = { mailbox: Mailbox; shared: Product; superadmin: Client }

/** The same tests on a product of their own that sends its mails to a real mail server, which is a setting of the installation. */
export const mailed = onMailed({})

/** The same with further settings. */
export function onMailed(settings: Record<string, string>) {
  return test.extend<object, PerWorker>({
    mailbox: [
      async ({}, use) => {
        const mailbox = await openMailbox()
        await use(mailbox)
        await mailbox.close()
      },
      { scope: 'worker' },
    ],
    shared: [
      async ({ mailbox }, use) => {
        const product = await startProduct({ ...settings, SMTP_URL: mailbox.url })
        await use(product)
        await product.stop()
      },
      { scope: 'worker', timeout: 120_000 },
    ],
    superadmin: [async ({ shared }, use) => use(await firstSuperadmin(shared)), { scope: 'worker' }],
  })
}

/** Waits for a mail that has the place, and answers what the newest such mail says there. */
export function mailedTo(mailbox: Mailbox, address: string, place: RegExp): Promise<string> {
  const look = () =>
    mailbox.mails
      .filter(({ to }) => to === address)
      .map(({ text }) => place.exec(text)?.[1])
      .findLast(Boolean)
  return waitFor(look, `${String(place)} in a mail to ${address}`)
}

/** Waits for a mail with a personal link to a video, and answers the path of the newest. */
export const mailedLink = (mailbox: Mailbox, address: string): Promise<string> =>
  mailedTo(mailbox, address, /https?:\/\/[^/\s]*(\/w\/video\/\S+)/)
