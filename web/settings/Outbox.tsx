import { IconMailbox } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { listOutbox, type OutboxMail } from '#contract/platform/system.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { usePageSearch } from '#web/layout/page.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { RelativeTime, Updated, DateTime } from '#web/ui/Time.tsx'
import two from '#web/ui/look/twoLines.module.css'
import classes from './Outbox.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { Fragment, useState } from 'react'
import { Facts } from '#web/ui/fields/Field.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { TabButtons } from '#web/ui/Tabs.tsx'
import { cut } from '#contract/platform/text/text.ts'

const search = z.object({
  q: z.catch(z.string(), ''),
  offset: z.catch(z.coerce.number(), 0),
  mail: z.catch(z.string(), ''),
  tab: z.catch(z.string(), 'outbox'),
})

const empty = (
  <EmptyState title="No mail is waiting" icon={<IconMailbox size={24} />}>
    Everything that the product would send by mail appears here, so that it works without a mail server.
  </EmptyState>
)
const nothingFound = (
  <EmptyState title="No mail matches">Try another word, or a part of the address.</EmptyState>
)

/**
 * Links to videos at this page's own address, where the session of the console is: only there their page knows that it is not the
 * recipient who follows them.
 */
const fromHere = (mail: string) => mail.replaceAll(/https?:\/\/[^\s/"<>]+(?=\/w\/)/g, location.origin)

/** The reading pane. HTML is shown in a frame that runs nothing. */
function Mail({ mail }: { mail: OutboxMail }) {
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

/** Resting mails with a reading pane; new ones appear by themselves. */
export function Outbox() {
  const [{ q, offset, mail }, change] = usePageSearch(search)
  const { page, error, retry, updatedAt } = useList(listOutbox, { query: { q, offset } }, { every: 5_000 })
  if (error) return <NotRead error={error} retry={retry} />
  const open = page?.items.find(({ id }) => id === mail) ?? page?.items[0]
  return (
    <>
      <FilterBar>
        <SearchField label="Search mails" value={q} onSearch={(words) => change({ q: words, mail: '' })} />
        <div className={`${shapes.row} ${shapes.end}`}>
          <Updated at={updatedAt} />
        </div>
      </FilterBar>
      {page?.items.length === 0 ? (
        <div className={shapes.card}>{q === '' ? empty : nothingFound}</div>
      ) : (
        <div className={`${shapes.card} ${classes.outbox}`}>
          {page ? <MailList mails={page.items} openId={open?.id} /> : <Bone height={480} />}
          {open && <Mail key={open.id} mail={open} />}
        </div>
      )}
      {page && <Pager {...page} onOffset={(next) => change({ offset: next, mail: '' })} />}
    </>
  )
}

function MailList({ mails, openId }: { mails: readonly OutboxMail[]; openId: string | undefined }) {
  const navigate = useNavigate()
  const open = (mail: string) =>
    void navigate({
      to: paths.settings(),
      search: (before: object) => ({ ...before, mail }),
      replace: true,
      resetScroll: false,
    })
  return (
    <ul className={classes.mails} aria-label="Mails">
      {mails.map(({ id, to, subject, createdAt }) => (
        <li key={id}>
          <button type="button" className={two.lines} aria-current={id === openId} onClick={() => open(id)}>
            <span>{to}</span>
            <span>{subject}</span>
            <RelativeTime iso={createdAt} isPart />
          </button>
        </li>
      ))}
    </ul>
  )
}
