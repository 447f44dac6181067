import { Button } from '@mantine/core'
import { IconListCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/shell/useSession.ts'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'

const meanwhileHere = 'Meanwhile, User Engagement shows how much of each video is watched.'
const meanwhile = 'Meanwhile, get the videos ready that you want to ask about.'

/** Videos carry no questions yet, so nothing is asked of the server. */
export function QuizMetricsPage() {
  const isGroupadmin = useUser().role === 'groupadmin'
  return (
    <>
      <PageHead title="Quiz Metrics" lead="How well the questions in your videos are answered." />
      <div className="ui-card">
        <EmptyState
          title="No video carries questions yet"
          icon={<IconListCheck size={24} />}
          action={isGroupadmin ? <ToEngagement /> : <ToContent />}
        >
          As soon as videos can ask questions, this report shows attempts, the share of people who pass, and
          how hard each question is. {isGroupadmin ? meanwhileHere : meanwhile}
        </EmptyState>
      </div>
    </>
  )
}

function ToContent() {
  return (
    <Button component={Link} to={paths.content()}>
      Go to content
    </Button>
  )
}

function ToEngagement() {
  return (
    <Button component={Link} to={paths.reportUserEngagement()}>
      Go to User Engagement
    </Button>
  )
}
