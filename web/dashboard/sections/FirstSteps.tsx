import type { Role } from '#contract/roles.ts'
import { paths } from '../../paths.ts'
import { useUser } from '../../session/useSession.ts'
import type { OrganizationPlace } from './place.ts'
import { Steps, type Step } from './Steps.tsx'

type Numbers = { users: number; groups: number; videos: number; transmissions: number }

/** The way from an empty organization to the first message, for each role as far as it goes. */
function stepsFor(role: Role, orgId: string | null, numbers: Numbers & { organizations?: number }): Step[] {
  const organization = {
    title: 'Create an organization',
    detail: 'It holds people, groups and videos.',
    to: paths.organizationCreate(),
    isDone: (numbers.organizations ?? 0) > 0,
  }
  const people = {
    title: 'Add people',
    detail: 'A name and an email are enough.',
    to: orgId === null ? paths.organizations() : paths.userCreate(orgId),
    // Who reads this is one of them.
    isDone: numbers.users > (orgId === null ? 0 : 1),
  }
  const group = {
    title: 'Create a group',
    detail: 'Send to a team or a class at once.',
    to: orgId === null ? paths.organizations() : paths.groupCreate(orgId),
    isDone: numbers.groups > 0,
  }
  const video = {
    title: 'Upload a video',
    detail: 'It becomes ready for every device.',
    to: paths.content(),
    isDone: numbers.videos > 0,
  }
  const send = {
    title: 'Send it',
    detail: 'And see who watched which seconds.',
    to: paths.transmissionCreate(),
    isDone: numbers.transmissions > 0,
  }
  if (role === 'groupadmin') return [group]
  return orgId === null ? [organization, people, video, send] : [people, group, video, send]
}

export function FirstSteps({
  orgId,
  numbers,
}: OrganizationPlace & { numbers: Numbers & { organizations?: number } }) {
  return <Steps orgId={orgId} steps={stepsFor(useUser().role, orgId, numbers)} />
}
