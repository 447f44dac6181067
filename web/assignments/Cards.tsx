import '#web/ui/fields/fields.ts'
import { Checkbox, Radio, Stack } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { useState } from 'react'
import { listObligations, readAssignment, type Assignment } from '#contract/assignments/assignments.ts'
import { cardFormats, makeCards, type CardFormat } from '#contract/cards.ts'
import { fetchFile } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { refreshAll, useList } from '#web/api/query.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { offerDated } from '#web/ui/browser/download.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { plural } from '#web/ui/format.ts'
import { SearchField } from '#web/ui/fields/SearchField.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { owingStates } from '#web/duty/labels.ts'

const formats: Record<CardFormat, { label: string; means: string; file: string }> = {
  card: {
    label: 'Cards (A6)',
    means: 'One for each person, to be handed out.',
    file: /* no text */ 'cards',
  },
  letter: {
    label: 'Letters (A4)',
    means: 'The same with the words of the assignment.',
    file: /* no text */ 'letters',
  },
}

type Props = { assignment: Assignment; onClose: () => void }

/**
 * Makes cards for people whom no mail reaches: a code for the camera of a phone and a PIN, on paper, for everybody who owes it or some of
 * them.
 */
export function Cards({ assignment, onClose }: Props) {
  const { id: assignmentId, organizationId: orgId } = assignment
  const [format, setFormat] = useState<CardFormat>('card')
  const [isForAll, setForAll] = useState(true)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    if (!isForAll && chosen.length === 0) return setFault('Please choose at least one person.')
    setBusy(true)
    try {
      const body = { userIds: isForAll ? null : [...chosen], format }
      const file = await fetchFile(makeCards, { params: { orgId, assignmentId }, body })
      offerDated(file, formats[format].file, 'pdf')
      toast.success('Printed on paper they can be handed out. You are named as who does it.')
      await refreshAll([listObligations, readAssignment])
      onClose()
    } catch (error) {
      setFault(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <FormDialog
      title="Cards for people without mail"
      submitLabel="Make the file"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <p>
          Each has a code that opens the video for one person, and a PIN for what else is theirs. The PIN is
          kept nowhere else: whoever loses the card gets another one, and the former one ends.
        </p>
        <Radio.Group
          label="What is printed"
          value={format}
          onChange={(value) => setFormat(cardFormats.find((one) => one === value) ?? format)}
        >
          <Stack gap={8} mt={4}>
            {cardFormats.map((one) => (
              <Radio key={one} value={one} label={formats[one].label} description={formats[one].means} />
            ))}
          </Stack>
        </Radio.Group>
        <Radio.Group
          label="For whom"
          value={isForAll ? 'all' : 'some'}
          error={fault}
          onChange={(value) => setForAll(value === 'all')}
        >
          <Stack gap={8} mt={4}>
            <Radio value="all" label="Everybody who owes it now" />
            <Radio value="some" label="Some of them" />
          </Stack>
        </Radio.Group>
        {!isForAll && (
          <Choice
            assignment={assignment}
            chosen={chosen}
            onChange={(ids) => {
              setChosen(ids)
              setFault(undefined)
            }}
          />
        )}
      </Stack>
    </FormDialog>
  )
}

const mostShown = 50

type ChoiceProps = {
  assignment: Assignment
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

function Choice({ assignment, chosen, onChange }: ChoiceProps) {
  const { id: assignmentId, organizationId: orgId } = assignment
  const [q, setQ] = useState('')
  const { page, error, retry } = useList(listObligations, {
    params: { orgId, assignmentId },
    query: { q: q || undefined, limit: mostShown },
  })
  if (error) return <NotRead error={error} retry={retry} />
  const owing = page?.items.filter(({ state }) => owingStates.has(state)) ?? []
  return (
    <Stack gap={8}>
      <div>
        <SearchField label="Search by name or email" value={q} onSearch={setQ} />
      </div>
      <Checkbox.Group
        label={plural(chosen.length, 'person is chosen', 'people are chosen')}
        description={
          page?.items.length === mostShown ? 'The first of them are shown: search for the others.' : undefined
        }
        value={[...chosen]}
        onChange={onChange}
      >
        <Stack gap={8} mt={4}>
          {owing.map(({ user }) => (
            <Checkbox key={user.id} value={user.id} label={user.name || user.email} />
          ))}
        </Stack>
      </Checkbox.Group>
      {page && owing.length === 0 && <p>Nobody fits.</p>}
    </Stack>
  )
}
