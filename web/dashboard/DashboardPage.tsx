import { PageHead } from '#web/ui/PageHead.tsx'

export function DashboardPage() {
  return <PageHead title="Dashboard" />
}
