# frozen_string_literal: true

class IssuesController < ApplicationController
  PER_PAGE = 80

  def index
    page = params.fetch(:page, 1).to_i
    @issues = Issue.unfinished.latest.offset((page - 1) * PER_PAGE).limit(PER_PAGE)
    @others = Issue.where(priority: 1).latest.limit(350)
  end

  def show
    @issue = Issue.find(params[:id])
    @related = (@issue.labelings.exists? ? with_same_labels : with_same_priority).limit(75)
    @by_author = @issue.author.written.latest.limit(100)
  end

  private

  # Heavy: those that share most first.
  def with_same_labels
    Issue.joins(:labelings).where(labelings: {label_id: @issue.labelings.select(:label_id)})
      .group(:id).order(Arel.sql("COUNT(*) DESC, issues.id"))
  end

  def with_same_priority
    Issue.where(priority: @issue.priority).latest
  end
end
