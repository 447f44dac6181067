import { evidenceStates } from '#contract/tracking/evidence-states.ts'
import { evidenceLabels } from '#web/evidence/labels.ts'

/** Every figure of the page by its definition. */
export const meanings = [
  {
    label: 'Seen',
    value:
      'Different parts that count, divided by the length of the version, rounded down. A part that was seen twice counts once.',
  },
  {
    label: 'What counts',
    value:
      'A stretch inside the video, in sight or in a picture in a picture, not faster than the organization allows, that fits the time which the clock shows for it. A moment of somebody’s life counts in one window only.',
  },
  {
    label: 'Completed',
    value:
      'The needed share was reached, and every question was answered that the video insists on, and the questions were passed where they have to be. Once completed, always completed.',
  },
  {
    label: 'Time watched',
    value:
      'Length of everything that counts, repeats counted, in time of the video; beside it the time of the clock that it took, which is shorter at a higher speed.',
  },
  {
    label: 'Plays and sessions',
    value:
      'A session begins whenever the page of the video is opened. It is a play once something was played in it.',
  },
  {
    label: 'Handed out',
    value:
      'What this server sent to a session, segment by segment (six seconds each), recorded by itself about once a second. A browser that keeps a segment asks for it only once. What the record cannot know is whether anybody looked.',
  },
  ...evidenceStates.map((state) => ({
    label: evidenceLabels[state].word,
    value: evidenceLabels[state].means,
  })),
]
