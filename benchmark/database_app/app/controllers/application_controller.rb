# frozen_string_literal: true

class ApplicationController < ActionController::Base
  TEAMS_KEPT = 10.minutes

  before_action :count_visits

  private

  def count_visits
    session[:visits] = session[:visits].to_i + 1
    session[:last_path] = request.path
    @teams = Rails.cache.fetch("teams", expires_in: TEAMS_KEPT) { Team.order(:name).pluck(:id, :name) }
  end
end
