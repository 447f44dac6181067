import { Button, Select } from '@mantine/core'
import { IconMail, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import { testTransmission, type previewMail } from '#contract/identity/mail-preview.ts'
import { attempt } from '#web/api/attempt.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { useMailRests } from '#web/layout/OutboxNote.tsx'
import columns from '#web/ui/table/columns.module.css'
import { Facts } from '#web/ui/fields/Field.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { whomOf, type Draft } from '../draft.ts'
import { mailRequestOf, useAudienceCount, useMailPreview, useDebounced } from './usePreview.ts'
import classes from './MailPreview.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import '#web/ui/fields/choice.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { findRecipients } from '#contract/transmissions/preflight.ts'
import { call } from '#web/api/client.ts'

/**
 * Gives pictures this page's own address: the preview may show no others, and the console need not be opened at the address that mails
 * name.
 */
const fromHere = (html: string) => html.replaceAll(/src="[^"]*(?=\/(?:m|api\/pictures)\/)/g, 'src="')

const sizeOf = (part: string) => new Blob([part]).size
/** Beyond this number of bytes of HTML, Gmail leaves the rest to another page. */
const mostShown = 102_000

/**
 * Shows the mail itself, drawn by the server as recipients will get it. The frame is of its own origin for the sake of its picture, and no
 * script runs in it.
 */
export function Mail({ from, unverified, subject, text, html }: Reply<typeof previewMail>) {
  const size = sizeOf(text) + sizeOf(html)
  return (
    <>
      {unverified !== null && (
        <Notice tone="danger">
          Nobody has proved yet that they read at {unverified}, from which your organization writes. Nothing
          is sent until it is confirmed in the settings.
        </Notice>
      )}
      {sizeOf(html) > mostShown && (
        <Notice tone="warning">
          Some mail programs cut off a mail of more than {formatBytes(mostShown)}, and its end with the link.
        </Notice>
      )}
      <Facts
        facts={[
          { label: 'From', value: from },
          { label: 'Subject', value: subject },
          { label: 'Size', value: `${formatBytes(size)}, without its picture` },
        ]}
      />
      <iframe title="The mail" srcDoc={fromHere(html)} sandbox="allow-same-origin" tabIndex={-1} />
    </>
  )
}

/** Returns whose mail is shown: the first person of the audience, until somebody else is chosen. */
function useReader(draft: Draft) {
  const audience = JSON.stringify(whomOf(draft))
  const [chosen, setChosen] = useState<(Reader & { audience: string }) | null>(null)
  const { count, isCounting } = useAudienceCount(draft)
  const first = isCounting ? undefined : count?.sample[0]
  return {
    person: chosen?.audience === audience ? chosen : first,
    choose: (one: Reader) => setChosen({ ...one, audience }),
  }
}

type Reader = { id: string; name: string }
type Props = { draft: Draft; person: Reader; onChoose: (person: Reader) => void }

/** Chooses somebody of the audience, found by name or address. */
function PreviewAs({ draft, person, onChoose }: Props) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const q = text === person.name ? '' : text.trim()
  const { settled: body } = useDebounced({ ...whomOf(draft), q })
  const { data } = useQuery({
    queryKey: [findRecipients.name, body],
    queryFn: ({ signal }) => call(findRecipients, { body, signal }),
    enabled: isOpen,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  })
  const found = data?.items ?? []
  const known = found.some(({ id }) => id === person.id) || q !== '' ? found : [person, ...found]
  const addresses = new Map(found.map(({ id, email }) => [id, email]))
  return (
    <Select
      label="As it goes to"
      data={known.map(({ id, name }) => ({ value: id, label: name }))}
      value={person.id}
      onChange={(chosen) => {
        const one = known.find(({ id }) => id === chosen)
        if (one) onChoose({ id: one.id, name: one.name })
      }}
      searchable
      onSearchChange={setText}
      filter={({ options }) => options}
      onDropdownOpen={() => setOpen(true)}
      nothingFoundMessage={data ? 'Nobody among the recipients' : 'Loading …'}
      allowDeselect={false}
      renderOption={({ option }) => (
        <div>
          {option.label}
          <div className={shapes.hint}>{addresses.get(option.value)}</div>
        </div>
      )}
    />
  )
}

/** Shows the mail as it will look with what is in the composer. With `isDuty` nobody unsubscribes from it, even without a day. */
export function MailPreview({ draft, isDuty = false }: { draft: Draft; isDuty?: boolean }) {
  const { person, choose } = useReader(draft)
  const { data, error } = useMailPreview(draft, { recipientId: person?.id, isDuty })
  return (
    <section className={`${shapes.stack} ${columns.stays}`} aria-labelledby="preview">
      <h2 id="preview">Preview of the mail</h2>
      {data && person && <PreviewAs draft={draft} person={person} onChoose={choose} />}
      <div className={`${shapes.card} ${classes.mail}`}>
        {error && (
          <p role="alert" className={shapes.missing}>
            {sentence(error)}
          </p>
        )}
        {!data && !error && (
          <EmptyState title="The mail appears here" icon={<IconMail size={24} />}>
            As soon as a video is chosen, you see what its recipients get.
          </EmptyState>
        )}
        {data && <Mail {...data} />}
      </div>
      {data && <TestMail draft={draft} recipientId={person?.id} />}
    </section>
  )
}

/** Sends a test, so that its author sees it where recipients will: in a mailbox, on a phone. */
function TestMail({ draft, recipientId }: { draft: Draft; recipientId: string | undefined }) {
  const rests = useMailRests()
  const test = useChange(testTransmission, [])
  const send = async () => {
    const { address } = await test.mutateAsync({ body: mailRequestOf(draft, recipientId) })
    toast.success(
      rests
        ? 'The test mail rests in the outbox, because no mail server is set up.'
        : `The test mail is on its way to ${address}. Nothing counts it.`,
    )
  }
  return (
    <Button
      variant="default"
      leftSection={<IconSend size={16} />}
      loading={test.isPending}
      onClick={() => void attempt(send)}
    >
      Mail me a test
    </Button>
  )
}
