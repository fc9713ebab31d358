# frozen_string_literal: true

class DashboardsController < ApplicationController
  # Heavy: the newest comments of the whole team, and the load of each of its members.
  def show
    @user = User.find(params.fetch(:user, 1))
    @members = @user.team.users.order(:name)
    @issues = Issue.unfinished.where(assignee_id: @members.select(:id)).latest.limit(75)
    @recent = Issue.where(author_id: @members.select(:id)).latest.limit(250)
  end
end
