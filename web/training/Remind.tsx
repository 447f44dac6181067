import { remindPeople } from '#contract/assignments.ts'
import type { Reply } from '#contract/endpoint.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { plural } from '#web/ui/format.ts'
import { toast } from '#web/ui/toasts.ts'
import type { Picked } from './picked.ts'

type Props = { orgId: string; picked: Picked; onDone: () => void; onClose: () => void }

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

/** Asks once more before mails leave. */
export function Remind({ orgId, picked: { people, videos }, onDone, onClose }: Props) {
  const remind = useChange(remindPeople)
  const submit = async () => {
    try {
      const body = { userIds: [...people], videoIds: [...videos] }
      const said = await remind.mutateAsync({ params: { orgId }, body })
      if (said.reminded > 0) toast.success(outcomeOf(said))
      else toast.failure(outcomeOf(said))
      onDone()
    } catch (error) {
      toast.failure(sentence(error))
    }
    onClose()
  }
  return (
    <FormDialog
      title={remindLabel(people.size)}
      submitLabel="Remind"
      isBusy={remind.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        Each gets a mail about every assignment that they still owe
        {videos.size > 0 && ` of the ${plural(videos.size, 'selected video')}`}, with what is missing. Nobody
        is written to twice within a day, and nobody who is done.
      </p>
    </FormDialog>
  )
}
