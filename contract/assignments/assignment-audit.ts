/** The audit log says this of assignments and of what was decided in them: words and sentence, as in `audit-actions.ts`. */
export const assignmentActions = {
  'assignment.created': ['Wrote an assignment', '{actor} wrote the assignment “{after.name}”'],
  'assignment.changed': ['Changed an assignment', '{actor} changed the assignment “{after.name}”'],
  'assignment.started': ['Started an assignment', '{actor} started the assignment “{after.name}”'],
  'assignment.paused': ['Paused an assignment', '{actor} paused the assignment “{after.name}”'],
  'assignment.resumed': ['Resumed an assignment', '{actor} resumed the assignment “{after.name}”'],
  'assignment.ended': ['Ended an assignment', '{actor} ended the assignment “{after.name}”'],
  'assignment.cards_printed': [
    'Printed cards of an assignment',
    '{actor} printed cards of the assignment “{after.name}” and hands them over ({after.people})',
  ],
  'obligations.exported': [
    'Exported the people of an assignment',
    '{actor} exported the people of the assignment “{after.name}”',
  ],
  'obligation.waive': [
    'Waived an assignment for a person',
    '{actor} waived {target} for the assignment “{after.assignment}”: “{after.reason}”',
  ],
  'obligation.unwaive': [
    'Took the waiver of an assignment back',
    '{actor} took the waiver of {target} for the assignment “{after.assignment}” back: “{after.reason}”',
  ],
  'obligation.extend': [
    'Gave a person more time',
    '{actor} gave {target} another day for the assignment “{after.assignment}”: “{after.reason}”',
  ],
  'obligation.exempt': [
    'Exempted a person from an assignment',
    '{actor} exempted {target} from the assignment “{after.assignment}”: “{after.reason}”',
  ],
  'obligation.oblige': [
    'Took an exemption back',
    '{actor} took the exemption of {target} from the assignment “{after.assignment}” back: “{after.reason}”',
  ],
  'obligation.confirmed': [
    'Confirmed the sentence of an assignment',
    '{target} confirmed for the assignment “{after.assignment}”: “{after.statement}”',
  ],
  'obligation.reminded': [
    'Reminded a person of an assignment',
    '{actor} reminded {target} of the assignment “{after.assignment}”',
  ],
} as const satisfies Record<string, readonly [words: string, sentence: string]>
