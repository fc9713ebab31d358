# frozen_string_literal: true

module ApplicationHelper
  TODAY = Date.new(2026, 7, 1)

  def hours(minutes)
    "#{number_with_precision(minutes / 60.0, precision: 1)} h"
  end

  def due(issue)
    text = l(issue.due_on, format: :long)
    issue.overdue?(TODAY) ? tag.strong(text, class: "overdue") : text
  end

  def moment(time)
    tag.time(l(time, format: :short), datetime: time.iso8601)
  end
end
