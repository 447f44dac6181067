import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { createAssignment, listAssignments } from '#contract/assignments.ts'
import { useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { working } from '#web/session/workingOrganization.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/toasts.ts'
import { AssignmentForm } from './AssignmentForm.tsx'
import { contentOf, emptyPlan, type Plan } from './form.ts'

export function AssignmentCreate() {
  const { organizationId, role } = useUser()
  const [start] = useState(() => emptyPlan(organizationId ?? working.read()))
  const creation = useChange(createAssignment, [listAssignments])
  const make = async (plan: Plan, isStarted: boolean) => {
    const orgId = plan.draft.organizationId
    const body = { ...contentOf(plan), start: isStarted }
    const { id } = await creation.mutateAsync({ params: { orgId }, body })
    toast.success(
      isStarted
        ? 'Assigned. The first mails leave in a moment.'
        : 'The draft was saved. Nobody is obliged yet.',
    )
    return paths.assignment(orgId, id)
  }
  return (
    <>
      <PageHead
        title="New assignment"
        lead="It sends, reminds, stops when it is done, and takes newcomers in."
        crumbs={<Link to={paths.assignments()}>Assignments</Link>}
      />
      <AssignmentForm
        start={start}
        back={paths.assignments()}
        isOrganizationOpen={role === 'superadmin'}
        isRunning={false}
        submitLabel="Assign"
        onSubmit={(plan) => make(plan, true)}
        onKeep={(plan) => make(plan, false)}
      />
    </>
  )
}
