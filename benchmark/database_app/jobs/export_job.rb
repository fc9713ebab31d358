# frozen_string_literal: true

# Heavy: all columns of a project's issues with their labels and comments as JSON. 200 queries, and the
# most objects.
class ExportJob < TrackerJob
  def perform(project_id)
    project = Project.find(project_id)
    rows = project.issues.order(:id).limit(100).map { |issue| row(issue) }
    JSON.generate(name: project.name, issues: rows).bytesize
  end

  private

  def row(issue)
    labels = issue.labels.order(:name).map(&:name)
    comments = issue.comments.latest.map { |comment| comment.attributes.except("id") }
    issue.attributes.merge(labels:, comments:)
  end
end
