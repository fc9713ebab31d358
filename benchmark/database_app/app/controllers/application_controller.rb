# frozen_string_literal: true

class ApplicationController < ActionController::Base
  TEAMS_KEPT = 10.minutes
  WATCHED = 900

  before_action :count_visits, :find_watched

  private

  def count_visits
    session[:visits] = session[:visits].to_i + 1
    session[:last_path] = request.path
    @teams = Rails.cache.fetch("teams", expires_in: TEAMS_KEPT) { Team.order(:name).pluck(:id, :name) }
  end

  # For the overdue ones in the header of each page.
  def find_watched
    @watched = Issue.unfinished.select(:id, :state, :due_on, :estimate_minutes).order(:id).limit(WATCHED)
  end
end
