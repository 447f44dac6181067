import '#web/ui/fields/fields.ts'
import { Button } from '@mantine/core'
import { IconBell, IconClockPlus, IconUserCheck, IconUserMinus } from '@tabler/icons-react'
import { useState } from 'react'
import { listObligations, readAssignment, type Assignment } from '#contract/assignments/assignments.ts'
import {
  changeObligations,
  mostDecided,
  type leftOutReasons,
  type ManyAction,
  type ManyChange,
  type ObligationFilter,
} from '#contract/duty/obligations.ts'
import type { Reply } from '#contract/endpoint.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { idsOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { Download, type Downloadable } from '#web/lists/download/Download.tsx'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { countSelected, nothingSelected } from '#web/ui/table/selection.ts'
import { SelectionBar } from '#web/ui/table/SelectionBar.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { DecisionFields, undecided } from './DecisionFields.tsx'

export type Chosen = { filter: ObligationFilter; ids?: string[]; exceptIds?: string[] }
type Props = BarProps & {
  assignment: Assignment
  filter: ObligationFilter
  files: (chosen: Chosen) => readonly Downloadable[]
}
type Answer = Reply<typeof changeObligations>

const actions: Record<ManyAction, { icon: typeof IconBell; label: string; title: (n: number) => string }> = {
  remind: { icon: IconBell, label: 'Remind', title: (n) => `Remind ${plural(n, 'person', 'people')}` },
  extend: {
    icon: IconClockPlus,
    label: 'Give more time',
    title: (n) => `Give ${plural(n, 'person', 'people')} more time`,
  },
  waive: { icon: IconUserCheck, label: 'Waive', title: (n) => `Waive ${plural(n, 'person', 'people')}` },
  exempt: {
    icon: IconUserMinus,
    label: 'Exempt',
    title: (n) => `Exempt ${plural(n, 'person', 'people')}`,
  },
}

const leftOutWords: Record<(typeof leftOutReasons)[number], string> = {
  own_waiver: 'Nobody decides about themselves.',
  obligation_moved_on: 'It is completed, or somebody has already decided.',
  not_reminded: 'Owes nothing, or had a message within the last day.',
}

/** Offers what can be done with the people that are chosen, up to 500 at once. */
export function PeopleSelected({ assignment, filter, files, ...bar }: Props) {
  const [action, setAction] = useState<ManyAction | null>(null)
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { selection, onSelect, total, totalIsMinimum } = bar
  const chosen: Chosen = { filter, ...idsOf(selection) }
  const count = countSelected(selection, total)
  const isTooMany = count > mostDecided || (selection.isAll && totalIsMinimum === true)
  const open = (['remind', 'extend', 'waive', 'exempt'] as const).filter(
    (one) => assignment.state === 'active' || (one !== 'remind' && assignment.state === 'paused'),
  )
  return (
    <>
      <SelectionBar {...bar}>
        <Download files={files(chosen)} />
        {isTooMany && open.length > 0 && <span>At most {formatNumber(mostDecided)} at once</span>}
        {!isTooMany &&
          open.map((one) => (
            <Act
              key={one}
              icon={actions[one].icon}
              label={actions[one].label}
              onClick={() => setAction(one)}
            />
          ))}
      </SelectionBar>
      {action && (
        <DecideMany
          {...{ assignment, action, chosen, count }}
          onDone={(done) => {
            setAction(null)
            if (done.leftOut.length > 0) setAnswer(done)
            else onSelect(nothingSelected)
          }}
          onClose={() => setAction(null)}
        />
      )}
      {answer && (
        <LeftOut
          answer={answer}
          onClose={() => {
            setAnswer(null)
            onSelect(nothingSelected)
          }}
        />
      )}
    </>
  )
}

type DecideProps = {
  assignment: Assignment
  action: ManyAction
  chosen: Chosen
  count: number
  onDone: (answer: Answer) => void
  onClose: () => void
}

function changeOf(action: ManyAction, reason: string, day: string): ManyChange {
  if (action === 'extend') return { action, reason, day }
  if (action !== 'waive') return { action, reason }
  return { action, reason, until: day === '' ? null : day }
}

/** Asks for one reason for all of them, which is kept with each. */
function DecideMany({ assignment, action, chosen, count, onDone, onClose }: DecideProps) {
  const [decision, setDecision] = useState(undecided)
  const { reason, day } = decision
  const [errors, setErrors] = useState<Record<string, string>>({})
  const decide = useChange(changeObligations, [listObligations, readAssignment])
  const { id: assignmentId, organizationId: orgId } = assignment
  const submit = async () => {
    const missing = {
      ...(reason.trim() === '' && { reason: 'Please fill this in.' }),
      ...(action === 'extend' && day === '' && { day: 'Please choose a day.' }),
    }
    setErrors(missing)
    if (Object.keys(missing).length > 0) return
    try {
      const body = { ...chosen, do: changeOf(action, reason, day), expected: count }
      const done = await decide.mutateAsync({ params: { orgId, assignmentId }, body })
      if (done.leftOut.length === 0)
        toast.success(
          action === 'remind'
            ? `A reminder to ${plural(done.changed, 'person', 'people')} is on its way.`
            : `${plural(done.changed, 'person was', 'people were')} changed.`,
        )
      onDone(done)
    } catch (error) {
      const found = serverFieldErrors(error)
      const at = found['do.until'] ?? found['do.day']
      setErrors(at ? { day: at } : { reason: found['do.reason'] ?? sentence(error) })
    }
  }
  return (
    <FormDialog
      title={actions[action].title(count)}
      submitLabel={actions[action].label}
      isBusy={decide.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <DecisionFields
        {...{ action, decision, errors }}
        retentionHint="Kept with your name for each of them, and shown to whoever checks."
        onChange={(change) => setDecision({ ...decision, ...change })}
      />
    </FormDialog>
  )
}

function LeftOut({ answer, onClose }: { answer: Answer; onClose: () => void }) {
  const { changed, leftOut } = answer
  return (
    <Dialog
      isOpen
      title={`${plural(leftOut.length, 'person was', 'people were')} left out`}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <p>{plural(changed, 'person was', 'people were')} changed.</p>
      <Lines label="Left out">
        {leftOut.map(({ user, reason }) => (
          <li key={user.id}>
            <div>
              {user.name}
              <small>{leftOutWords[reason]}</small>
            </div>
          </li>
        ))}
      </Lines>
    </Dialog>
  )
}
