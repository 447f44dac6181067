import type { SessionUser } from '#contract/auth.ts'
import type { Reply } from '#contract/endpoint.ts'
import type { readDashboard } from '#contract/organizations.ts'
import { paths } from '../paths.ts'
import { useUser } from '../shell/useSession.ts'
import { Steps, type Step } from '../ui/Steps.tsx'

type Numbers = Reply<typeof readDashboard>

/** The way from an empty installation to the first message, for each role as far as it goes. */
function stepsFor(user: SessionUser, numbers: Numbers): Step[] {
  const home = user.organizationId
  const people = home ? paths.userCreate(home) : paths.organizations()
  const steps = {
    organization: {
      title: 'Create an organization',
      detail: 'It holds people, groups and videos.',
      to: paths.organizationCreate(),
      isDone: numbers.organizations > 0,
    },
    people: {
      title: 'Add users',
      detail: 'A name and an email are enough.',
      to: people,
      // Who reads this is one of them.
      isDone: numbers.users > (home ? 1 : 0),
    },
    group: {
      title: 'Create a group',
      detail: 'Send to a team or a class at once.',
      to: home ? paths.groupCreate(home) : paths.organizations(),
      isDone: numbers.groups > 0,
    },
    video: {
      title: 'Upload a video',
      detail: 'It becomes ready for every device.',
      to: paths.content(),
      isDone: numbers.videos > 0,
    },
    send: {
      title: 'Send it',
      detail: 'And see who watched which seconds.',
      to: paths.transmissionCreate(),
      isDone: numbers.transmissions > 0,
    },
  }
  if (user.role === 'groupadmin') return [steps.group]
  const shared = [steps.people, steps.video, steps.send]
  return user.role === 'superadmin' ? [steps.organization, ...shared] : shared
}

export function FirstSteps({ numbers }: { numbers: Numbers }) {
  return <Steps title="First steps" steps={stepsFor(useUser(), numbers)} />
}
