# frozen_string_literal: true

# Light: a mail with the unfinished issues of a user. 50 to 80 queries.
class DigestJob < TrackerJob
  def perform(user_id)
    user = User.find(user_id)
    own = Issue.where(assignee: user).or(Issue.where(author: user))
    lines = own.unfinished.latest.limit(25).map { |issue| line(issue) }
    "#{user.name} of #{user.team.name}\n#{lines.join("\n")}"
  end

  private

  def line(issue)
    comment = issue.comments.latest.first
    "#{issue.due_on.to_fs(:long)} #{issue.project.name}: #{issue.title} by #{issue.author.name}, " \
    "#{comment ? comment.body.truncate(40) : "no comment"}"
  end
end
