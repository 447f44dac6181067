import { Fragment, useState } from 'react'
import type { OutboxMail } from '#contract/platform/system.ts'
import { Facts } from '#web/ui/Field.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { TabButtons } from '#web/ui/Tabs.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import classes from './Mail.module.css'
import shapes from '#web/ui/shapes.module.css'
import { cut } from '#contract/platform/text.ts'

/**
 * Links to videos at this page's own address, where the session of the console is: only there their page knows that it is not the
 * recipient who follows them.
 */
const fromHere = (mail: string) => mail.replaceAll(/https?:\/\/[^\s/"<>]+(?=\/w\/)/g, location.origin)

/** The reading pane. HTML is shown in a frame that runs nothing. */
export function Mail({ mail }: { mail: OutboxMail }) {
  const [form, setForm] = useState<'text' | 'html'>('text')
  return (
    <article className={`${shapes.pad} ${shapes.stack} ${classes.mail}`} aria-label={mail.subject}>
      <h2>{mail.subject}</h2>
      <Facts
        facts={[
          { label: 'To', value: mail.to },
          { label: 'Written', value: <DateTime iso={mail.createdAt} /> },
          ...(mail.attachments.length > 0 ? [{ label: 'Attached', value: attached(mail) }] : []),
        ]}
      />
      {mail.text.includes('/w/video/') && (
        <p className={shapes.hint}>
          Its link opens as a preview: what you watch does not count for the recipient.
        </p>
      )}
      {mail.html && (
        <TabButtons label="Form of the mail">
          <button type="button" aria-pressed={form === 'text'} onClick={() => setForm('text')}>
            Text
          </button>
          <button type="button" aria-pressed={form === 'html'} onClick={() => setForm('html')}>
            Formatted
          </button>
        </TabButtons>
      )}
      {form === 'html' && mail.html ? (
        <iframe
          className={shapes.tile}
          title={`Formatted mail: ${mail.subject}`}
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={`<base target="_blank">${fromHere(mail.html)}`}
        />
      ) : (
        <Text text={mail.text} />
      )}
    </article>
  )
}

function attached({ attachments }: OutboxMail): string {
  return attachments.map(({ name, bytes }) => `${name} (${formatBytes(bytes)})`).join(', ')
}

/** Plain text whose addresses can be followed. */
function Text({ text }: { text: string }) {
  const parts = text.split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)])/)
  return (
    <p className={classes.text}>
      {parts.map((part, index) => {
        const key = `${index}:${cut(part, 12)}`
        return /^https?:\/\//.test(part) ? (
          <a key={key} href={fromHere(part)} target="_blank" rel="noreferrer">
            {part}
          </a>
        ) : (
          <Fragment key={key}>{part}</Fragment>
        )
      })}
    </p>
  )
}
