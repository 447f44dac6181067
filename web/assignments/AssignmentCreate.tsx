import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import { createAssignment, listAssignments, readAssignment } from '#contract/assignments/assignments.ts'
import { fetchFresh, useChange, useEndpoint } from '#web/api/query.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { working } from '#web/session/workingOrganization.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { AssignmentForm } from './AssignmentForm.tsx'
import { contentOf, emptyPlan, furtherOf, namesIn, planAfter, type Plan } from './form.ts'

/** The address says which assignment it follows, and of which organization that is. */
const search = z.object({
  organization: z.catch(z.optional(z.uuid()), undefined),
  after: z.catch(z.optional(z.uuid()), undefined),
})

export async function load({ search: given }: LoadInput): Promise<void> {
  const { organization: orgId, after: assignmentId } = readSearch(search, given)
  if (orgId && assignmentId) await fetchFresh(readAssignment, { params: { orgId, assignmentId } })
}

export function AssignmentCreate() {
  const { organizationId } = useUser()
  const [{ organization: orgId, after: assignmentId }] = usePageSearch(search)
  if (orgId && assignmentId) return <Next key={assignmentId} {...{ orgId, assignmentId }} />
  return <Create start={emptyPlan(organizationId ?? working.read())} keptAs="assignment:new" />
}

/** Begins with the next video of a path, for the people and on the terms of the one before. */
function Next(params: { orgId: string; assignmentId: string }) {
  const one = useEndpoint(readAssignment, { params })
  return <Create start={planAfter(one, namesIn(one))} keptAs={`assignment:after:${one.id}`} />
}

function Create({ start: given, keptAs }: { start: Plan; keptAs: string }) {
  const { role } = useUser()
  const [start] = useState(given)
  const creation = useChange(createAssignment, [listAssignments, readAssignment])
  const make = async (plan: Plan, isStarted: boolean, urgent: { urgentReason?: string } = {}) => {
    const orgId = plan.draft.organizationId
    const body = { ...contentOf(plan), further: furtherOf(plan), start: isStarted, ...urgent }
    const { id } = await creation.mutateAsync({ params: { orgId }, body })
    toast.success(
      isStarted
        ? 'Assigned. This page shows who owes it, and when their messages leave.'
        : 'The draft was saved. Nobody is obliged yet.',
    )
    return paths.assignment(orgId, id)
  }
  return (
    <>
      <PageHead
        title="Add an assignment"
        lead="It sends, reminds, stops when it is completed, and takes newcomers in."
        crumbs={<Link to={paths.assignments()}>Assignments</Link>}
      />
      <AssignmentForm
        start={start}
        back={paths.assignments()}
        isOrganizationOpen={role === 'superadmin'}
        isRunning={false}
        ownId={null}
        keptAs={keptAs}
        submitLabel="Assign"
        onSubmit={(plan, urgent) => make(plan, true, urgent)}
        onKeep={(plan) => make(plan, false)}
      />
    </>
  )
}
