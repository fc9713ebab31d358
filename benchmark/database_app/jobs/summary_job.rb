# frozen_string_literal: true

# A project's week: comments and people of its newest issues. 220 to 240 queries.
class SummaryJob < TrackerJob
  def perform(project_id)
    project = Project.find(project_id)
    project.issues.latest.limit(55).map { |issue| summary(issue) }
  end

  private

  def summary(issue)
    comments = issue.comments.latest.limit(5).to_a
    writers = comments.map { |comment| comment.user.name }.uniq
    "#{issue.title} (#{issue.assignee.name}): #{comments.size} comments by #{writers.to_sentence}"
  end
end
