import { PageHead } from '#web/ui/PageHead.tsx'

export function UserEdit() {
  return <PageHead title="Edit user" />
}
