# frozen_string_literal: true

class ReportsController < ApplicationController
  # Heavy: comments and hours of each project and month.
  def workload
    month = "date_trunc('month', comments.created_at)"
    @months = Comment.joins(:issue).group("issues.project_id", Arel.sql(month))
      .pluck(Arel.sql("issues.project_id, #{month}, COUNT(*), SUM(issues.estimate_minutes)"))
    @users = User.order(:name).limit(160)
  end
end
