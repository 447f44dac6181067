import {
  listObligations,
  listOwedBy,
  readAssignment,
  remindPeople,
} from '#contract/assignments/assignments.ts'
import type { Body, Reply } from '#contract/endpoint.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { formatStretch, plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/feedback/toasts.ts'

type Props = {
  orgId: string
  whom: Body<typeof remindPeople>
  /** As the page has told them. */
  people: number
  onDone?: () => void
  onClose: () => void
}

export const remindLabel = (people: number) => `Remind ${plural(people, 'person', 'people')}`

/** Who was left out, and why. */
function outcomeOf({ reminded, nothingOwed, remindedToday, notNow }: Reply<typeof remindPeople>): string {
  return [
    `${plural(reminded, 'person is', 'people are')} reminded.`,
    ...(nothingOwed > 0 ? [`${plural(nothingOwed, 'person owes', 'people owe')} nothing of it.`] : []),
    ...(remindedToday > 0
      ? [`${plural(remindedToday, 'person was', 'people were')} written to within the last day.`]
      : []),
    ...(notNow > 0
      ? [`${plural(notNow, 'person', 'people')} cannot be reminded just now. Please try again in a minute.`]
      : []),
  ].join(' ')
}

/** What they are reminded of, in the middle of a sentence. */
function whatOf({ videoIds = [], assignmentId, part, late = false }: Props['whom']): string {
  if (assignmentId !== undefined) return 'it'
  if (part) return 'what they still owe of this video'
  const what = late ? 'what they are late with' : 'every assignment that they still owe'
  return videoIds.length > 0
    ? `${what} of ${videoIds.length === 1 ? 'this video' : `these ${videoIds.length} videos`}`
    : what
}

const titleOf = (people: number, { part }: Props['whom']): string =>
  part ? `Remind ${plural(people, 'person', 'people')} about ${formatStretch(part)}` : remindLabel(people)

/** The one act of reminding: asks once more before mails leave, and says who was left out and why. */
export function Remind({ orgId, whom, people, onDone, onClose }: Props) {
  const remind = useChange(remindPeople, [listObligations, listOwedBy, readAssignment])
  const submit = async () => {
    try {
      const body = whom
      const said = await remind.mutateAsync({ params: { orgId }, body })
      if (said.reminded > 0) toast.success(outcomeOf(said))
      else toast.failure(outcomeOf(said))
      onDone?.()
      onClose()
    } catch (error) {
      // It stays open, so that another try is the same request.
      toast.failure(sentence(error))
    }
  }
  return (
    <FormDialog
      title={titleOf(people, whom)}
      submitLabel="Remind"
      isBusy={remind.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        Each gets a mail about {whatOf(whom)}, with what is missing, their link and their day. Nobody is
        written to twice within a day, and nobody who has completed it.
      </p>
    </FormDialog>
  )
}
