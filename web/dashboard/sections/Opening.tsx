import type { ComponentProps, ReactNode } from 'react'
import { Alerts } from './Alerts.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { Part } from './Part.tsx'
import type { OrganizationPlace } from './place.ts'
import { Trends } from './Trends.tsx'
import { Work } from './Work.tsx'

type Props = OrganizationPlace & {
  /** Of a place where nothing has been sent yet: it has first steps instead of trends and plots. */
  numbers: ComponentProps<typeof FirstSteps>['numbers'] | undefined
  /** Plot of the time watched. */
  days: ReactNode
}

/** What every dashboard says first: what is to be done, how it went lately, and what is under way. */
export function Opening({ orgId, numbers, days }: Props) {
  const isNew = numbers !== undefined
  return (
    <>
      {isNew && <FirstSteps orgId={orgId} numbers={numbers} />}
      <Part title="Needs attention">
        <Alerts orgId={orgId} isQuiet={isNew} />
      </Part>
      {!isNew && (
        <Part title="The last 30 days">
          <Trends orgId={orgId} />
        </Part>
      )}
      <div className="ui-stack board-pair">
        <Part title="In progress">
          <Work orgId={orgId} />
        </Part>
        {!isNew && <Part title="Time watched">{days}</Part>}
      </div>
    </>
  )
}
