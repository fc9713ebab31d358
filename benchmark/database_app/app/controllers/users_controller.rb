# frozen_string_literal: true

class UsersController < ApplicationController
  def show
    @user = User.find(params[:id])
    @comments = @user.comments.latest.limit(60)
    @issues = Issue.where(author: @user).or(Issue.where(assignee: @user)).latest.limit(50)
    @colleagues = @user.team.users.order(:name)
  end
end
