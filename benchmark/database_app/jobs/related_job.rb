# frozen_string_literal: true

# A heavy query, and few objects: the issues with the same labels, those that share most first. 60
# queries.
class RelatedJob < TrackerJob
  def perform(issue_id)
    issue = Issue.find(issue_id)
    related(issue).map { |other| "#{other.title}, #{other.comments.count} comments, #{other.assignee.name}" }
  end

  private

  def related(issue)
    Issue.joins(:labelings).where(labelings: {label_id: issue.labelings.select(:label_id)})
      .group(:id).order(Arel.sql("COUNT(*) DESC, issues.id")).limit(30)
  end
end
