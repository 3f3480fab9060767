// Defines the response fields about the operators who have decided.

import Type from 'typebox'

/** The operators who have decided about a correction, and the required number of operators. */
export const VerdictFields = {
  approvals_required: Type.Optional(
    Type.Integer({
      description:
        'The number of operators that have to decide: 2 if the corrections of the merchant reach FOUR_EYES_AMOUNT on this day. If one operator suffices, the field is absent.',
    }),
  ),
  approvals: Type.Optional(
    Type.Array(
      Type.Object({
        operator: Type.String({ description: 'An e-mail address.' }),
        reason: Type.String({ description: 'The reason of this operator.' }),
        at: Type.String({ format: 'date-time' }),
      }),
      {
        description:
          'The operators who have decided, in order. While they are fewer than `approvals_required`, no money has moved. If one operator suffices, the field is absent.',
      },
    ),
  ),
}
