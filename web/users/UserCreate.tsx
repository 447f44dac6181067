import { PageHead } from '#web/ui/PageHead.tsx'

export function UserCreate() {
  return <PageHead title="New user" />
}
