import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  editAssignment,
  listAssignments,
  listObligations,
  readAssignment,
} from '#contract/assignments/assignments.ts'
import { fetchFresh, useChange, useEndpoint } from '#web/api/query.ts'
import { usePathParams, type LoadInput } from '#web/layout/page.ts'
import { paths } from '#web/paths.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { AssignmentForm } from './AssignmentForm.tsx'
import { contentOf, namesIn, planOf } from './form.ts'

export function load({ params }: LoadInput<'/assignments/$orgId/$assignmentId/edit'>) {
  return fetchFresh(readAssignment, { params })
}

export function AssignmentEdit() {
  const params = usePathParams('/assignments/$orgId/$assignmentId/edit')
  const one = useEndpoint(readAssignment, { params })
  // This is the assignment as it was when the form was opened, so that a change by somebody else meanwhile is refused, and not written
  // over.
  const [start] = useState(one)
  const edit = useChange(editAssignment, [readAssignment, listAssignments, listObligations])
  const { orgId, assignmentId } = params
  return (
    <>
      <PageHead
        title={`Edit “${start.name}”`}
        lead={
          start.state === 'draft'
            ? 'Nobody is obliged yet.'
            : start.transmission
              ? `The day of the message “${start.transmission.subject}”: its recipients owe it, and what was sent stays as it was.`
              : 'What was sent stays as it was. Days that you change hold for whoever still owes it.'
        }
        crumbs={[
          <Link key="all" to={paths.assignments()}>
            Assignments
          </Link>,
          <Link key="one" to={paths.assignment(orgId, assignmentId)}>
            {start.name}
          </Link>,
        ]}
      />
      <AssignmentForm
        start={planOf(start, namesIn(start))}
        back={paths.assignment(orgId, assignmentId)}
        isOrganizationOpen={false}
        ownId={assignmentId}
        // Words that were typed over another version would undo what somebody else has changed since.
        keptAs={`assignment:${assignmentId}:${start.version}`}
        isRunning={start.state !== 'draft'}
        submitLabel="Save"
        onSubmit={async (plan) => {
          await edit.mutateAsync({
            params,
            body: { ...contentOf(plan), grows: plan.ofMessage?.grows ?? true, version: start.version },
          })
          toast.success('The assignment was changed.')
          return paths.assignment(orgId, assignmentId)
        }}
      />
    </>
  )
}
