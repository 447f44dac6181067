import { Button } from '@mantine/core'
import { IconBellRinging } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { readAssignment } from '#contract/assignments/assignments.ts'
import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { queryOf } from '#web/api/query.ts'
import { remindersText, stillOwing } from '#web/duty/labels.ts'
import { formatNumber, plural } from '#web/ui/format.ts'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { Begin, WriteAgain } from './FollowUps.tsx'
import { isActive } from '../labels.ts'
import { useCounts } from './useCounts.ts'

const Remind = dialogOnDemand(async () => (await import('#web/duty/Remind.tsx')).Remind)

type Props = { transmission: Transmission; assignmentId: string }

/** The figures are counted anew whenever somebody completes it. */
const useDuty = ({ transmission: { organizationId: orgId, completed }, assignmentId }: Props) => {
  const asked = queryOf(readAssignment, { params: { orgId, assignmentId } })
  return useQuery({ ...asked, queryKey: [...asked.queryKey, completed] }).data
}

/** Says how it reminds by itself. Whoever came to owe it later has a message of their own and is no recipient of this one. */
export function DutyLine(props: Props) {
  const { unfinished } = useCounts(props.transmission.id)
  const duty = useDuty(props)
  if (!duty) return null
  const later = duty.grows ? stillOwing(duty) - unfinished : 0
  return (
    <>
      <span>Reminders: {remindersText(duty.reminders)}</span>
      {later > 0 && <span>{formatNumber(later)} more who came later owe it too</span>}
    </>
  )
}

/** Offers the next step once its mails have left: whoever still owes it is reminded of that, and anything else may be written to them. */
export function RemindOwing(props: Props) {
  const { id, organizationId: orgId } = props.transmission
  const [isReminding, setReminding] = useState(false)
  const duty = useDuty(props)
  const owing = duty?.state === 'active' ? stillOwing(duty) : 0
  if (duty?.state === 'ended') return <WriteAgain transmission={props.transmission} />
  if (owing === 0 || isActive(props.transmission)) return null
  return (
    <>
      <Begin id={id} part="not_watched">
        Write to them
      </Begin>
      <Button leftSection={<IconBellRinging size={16} aria-hidden />} onClick={() => setReminding(true)}>
        Remind {plural(owing, 'person', 'people')}
      </Button>
      <Suspense>
        {isReminding && (
          <Remind
            orgId={orgId}
            whom={{ assignmentId: props.assignmentId }}
            people={owing}
            onClose={() => setReminding(false)}
          />
        )}
      </Suspense>
    </>
  )
}
