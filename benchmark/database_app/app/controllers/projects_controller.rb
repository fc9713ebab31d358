# frozen_string_literal: true

class ProjectsController < ApplicationController
  def index
    @projects = Project.order(:name)
    @recent = Issue.latest.limit(200)
  end

  def show
    @project = Project.find(params[:id])
    @issues = @project.issues.unfinished.order(:priority, :id).limit(100)
    @closed = @project.issues.where(state: Issue::CLOSED).latest
  end
end
