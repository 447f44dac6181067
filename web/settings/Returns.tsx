import columns from '#web/ui/table/columns.module.css'
import { OutboxNote } from '#web/layout/OutboxNote.tsx'
import { MailReturns } from './MailReturns.tsx'
import { Button } from '@mantine/core'
import type { Reply } from '#contract/endpoint.ts'
import { readMailEvents, type MailEventSource } from '#contract/transmissions/mail-events.ts'
import { useList } from '#web/api/query.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { product } from '#web/ui/product.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Settings = Reply<typeof readMailEvents>

const providers: Record<MailEventSource, { name: string; how: string }> = {
  postmark: {
    name: 'Postmark',
    how: 'As the address of a webhook that tells what arrived, came back, or was called spam.',
  },
  ses: {
    name: 'Amazon SES',
    how: 'As an HTTPS subscription of an SNS topic that tells what arrived, came back, or was complained about, with the original headers.',
  },
  generic: {
    name: 'Any other',
    how: 'For a program of your own, which signs with the secret. The description of the interface (/api/openapi.json) says how.',
  },
}

/** How the mail provider tells what became of mails after it took them. */
function MailReports() {
  const { page: settings, error, retry } = useList(readMailEvents, {}, { every: 10_000 })
  if (error || !settings) return <NotRead error={error} retry={retry} height={320} />
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="mail-reports">
      <h2 id="mail-reports">Told by your provider</h2>
      <p>
        Name an address at your mail provider, and each transmission says whose mail arrived, came back, or
        was called unwanted. Whoever is not there or does not want mail is not written to again.
      </p>
      {settings.sources.map((source) => (
        <Source key={source.source} secret={settings.secret} {...source} />
      ))}
    </section>
  )
}

type SourceProps = Settings['sources'][number] & Pick<Settings, 'secret'>

function Source({ source, url, receivedAt, confirmUrl, secret }: SourceProps) {
  const { name, how } = providers[source]
  const isSigned = source === 'generic'
  const whole = isSigned ? url : url.replace('://', `://sendreel:${secret}@`)
  return (
    <div role="group" aria-label={name}>
      <div className={shapes.spaceBetween}>
        <strong>{name}</strong>
        <span className={shapes.hint}>
          {receivedAt ? (
            <>
              Last report <RelativeTime iso={receivedAt} />
            </>
          ) : (
            'No report yet'
          )}
        </span>
      </div>
      <p className={shapes.hint}>{how}</p>
      <div className={shapes.row}>
        <CopyButton text={whole} label="Copy the address" />
        {isSigned && <CopyButton text={secret} label="Copy the secret" />}
      </div>
      {confirmUrl && (
        <Notice
          tone="warning"
          action={
            <Button
              component="a"
              href={confirmUrl}
              target="_blank"
              rel="noreferrer"
              size="sm"
              variant="default"
            >
              Confirm at Amazon
            </Button>
          }
        >
          Amazon asks whether it may report to {product.name}.
        </Notice>
      )}
    </div>
  )
}

/** How the installation learns what became of a mail after a mail server took it: told by a provider, or read in a mailbox. */
export function Returns() {
  return (
    <>
      <OutboxNote />
      <div className={columns.even}>
        <MailReturns />
        <MailReports />
      </div>
    </>
  )
}
